"""Run of a proof: each detector alone, then all that passed together."""

import datetime as dt
from collections.abc import Callable

from openral_testing.machine import machine
from openral_testing.weights.proofs import WeightsProof
from openral_testing.weights_proof.reports import ProofReport, outcome_of
from openral_testing.weights_proof.single import ProofPlan, prove_one
from openral_testing.weights_proof.together import prove_together


def prove_all(plan: ProofPlan, save: Callable[[ProofReport], object]) -> ProofReport:
    """Prove every detector, then all that passed together; ``save`` is called after each."""
    today = dt.datetime.now(tz=dt.UTC).date().isoformat()
    report = ProofReport(date=today, by=plan.by, machine=machine(), device=plan.options.device)
    for manifest, folder in plan.detectors:
        plan.log(f"{manifest.id}: fetch, verify, load, {len(plan.photographs)} photographs")
        result = prove_one(plan, manifest, folder)
        plan.log(f"{manifest.id}: {outcome_of(result)}")
        report = report.model_copy(update={"detectors": (*report.detectors, result)})
        save(report)
        if result.failure is None and manifest.weights is not None:
            proof = WeightsProof(
                rskill=manifest.id, uri=result.uri, revision=result.revision, date=today, by=plan.by
            )
            proof.write(plan.options.weights_folder)
    working = {result.rskill for result in report.detectors if result.failure is None}
    if working:
        together = prove_together(plan, [each for each in plan.detectors if each[0].id in working])
        report = report.model_copy(update={"together": together})
        save(report)
    return report
