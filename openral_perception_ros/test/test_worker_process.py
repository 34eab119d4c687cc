import os, time
