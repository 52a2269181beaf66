"""`handles.py RUN QUESTION`: what the handler says of a run of ours, and of a question that the reference asked."""

import json
import sys

import reference  # noqa: F401
from tactus.protocols.control import ControlRequest, ControlResponse

from tactus_temporal import TactusError, TemporalHITLHandler

run_id, question = sys.argv[1:]
handler = TemporalHITLHandler()
pending = handler.pending(run_id)
first = pending[0]


def respond(value: object, request: ControlRequest | None = None) -> str:
    """What becomes of an answer."""
    response = ControlResponse(request_id=first.request_id, value=value, responder_id="bea")
    return handler.respond(response, request)["outcome"]


shown = first.model_copy(deep=True)
shown.metadata["tactus_temporal"]["digest"] = "0" * 32
before = handler.check_pending_response(run_id, first.request_id)
verdicts = {"of something else": respond(True, shown), "no value": respond("perhaps"), "first": respond(True, first)}
verdicts["second"] = respond(False)
after = handler.check_pending_response(run_id, first.request_id)
try:
    handler.cancel_pending_request(run_id, pending[1].request_id)
except TactusError as error:
    refused = str(error)
handler.cancel_pending_request("p", question)
print(
    json.dumps(
        {
            "pending": [each.model_dump(mode="json") for each in pending],
            "before": before,
            "verdicts": verdicts,
            "after": after and after.model_dump(mode="json"),
            "refused": refused,
        }
    )
)
