"""What every detector must withstand, ours or a third party's."""
