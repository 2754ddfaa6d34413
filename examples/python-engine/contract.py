"""The bus contract (docs/engine/bus.md): reads requests, drops late ones, writes replies. Knows nothing of trading."""

import inspect
import json
import sys
import time
import traceback

from operations import OPERATIONS, Request
from order import CLOCK, ArrivalOrder, engine_time
from turns import Turns

REJECTED = -32001
NOT_FOUND = -32002
OVERLOADED = -32003
UNAVAILABLE = -32004
STOP_CAME_FIRST = -32005
PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL = -32603

# Stops are never too many.
MAX_IN_PROGRESS = 1000


class Refusal(Exception):
    """The engine does not do what it was asked; nothing was changed. The message is the reason."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def rejected(reason):
    return Refusal(REJECTED, reason)


def not_found(reason):
    return Refusal(NOT_FOUND, reason)


class Dispatcher:
    """
    Answers messages by calling the operation that they name, a function or an `async def`. A method that the table does not have is
    refused: callers are told that the engine does not support it, and that nothing was changed.
    """

    def __init__(self, operations):
        unknown = [name for name in operations if name not in OPERATIONS]
        if unknown:
            raise ValueError(f"not an operation of the contract: {', '.join(unknown)}")
        self._operations = {name: (call, signature_of(name, call)) for name, call in operations.items()}
        self._order = ArrivalOrder()
        self._turns = Turns()
        self._in_progress = 0

    async def answer(self, message, received):
        """
        The reply to one text message, which was read from its connection then (time.monotonic). Call it, or make tasks of it, in the order
        in which messages come. Never raises: a failure is an answer too.
        """
        envelope, request_id = {}, None
        self._in_progress += 1
        try:
            envelope = parse(message)
            request_id = read_id(envelope)
            body = {"result": await self._run(self._read(envelope, received))}
        except Refusal as refusal:
            body = {"error": {"code": refusal.code, "message": str(refusal)}}
        except Exception as error:
            # Nobody knows how far the operation came, and -32603 says so; the details stay in this engine's log.
            traceback.print_exc(file=sys.stderr)
            body = {"error": {"code": INTERNAL, "message": f"The engine failed: {type(error).__name__}"}}
        finally:
            self._in_progress -= 1
        return json.dumps({"jsonrpc": "2.0", "id": request_id, **own_time(envelope), **body})

    def _read(self, envelope, received):
        method = envelope.get("method")
        if envelope.get("jsonrpc") != "2.0" or not isinstance(method, str) or read_id(envelope) is None:
            raise Refusal(INVALID_REQUEST, "The message is not a JSON-RPC 2.0 request")
        if method not in self._operations:
            raise Refusal(METHOD_NOT_FOUND, f"The engine has no method {json.dumps(method)}")
        given, context = read_params(envelope.get("params"))
        _, signature = self._operations[method]
        check_input(signature, given)
        return by_own_clock(Request(method, given, context, received))

    async def _run(self, request):
        if self._in_progress > MAX_IN_PROGRESS and request.lane != "stop":
            raise Refusal(OVERLOADED, "The engine has too much to do")
        self._check(request)
        self._order.received(request)
        async with self._turns.turn(request):
            # The wait counts: the deadline may have passed, and a stop may have come first.
            self._check(request)
            call, _ = self._operations[request.method]
            result = call(**request.input)
            if inspect.isawaitable(result):
                result = await result
            self._order.carried_out(request)
            return result

    def _check(self, request):
        if is_late(request):
            raise rejected("Dropped: the deadline had passed before the engine began")
        refusal = self._order.refusal(request)
        if refusal:
            stop_came_first, reason = refusal
            # Gateways that send no arrival do not know the other code.
            raise Refusal(STOP_CAME_FIRST if stop_came_first and "arrived" in request.context else REJECTED, reason)


def parse(message):
    if not isinstance(message, str):
        raise Refusal(INVALID_REQUEST, "Messages are text frames")
    try:
        request = json.loads(message)
    except (ValueError, RecursionError):
        raise Refusal(PARSE_ERROR, "The message is not JSON") from None
    if not isinstance(request, dict):
        raise Refusal(INVALID_REQUEST, "The message is not a JSON-RPC 2.0 request")
    return request


def read_id(request):
    """The id that the reply has to carry; None where the message has none that can be used."""
    found = request.get("id")
    return found if isinstance(found, (int, str)) and not isinstance(found, bool) else None


def read_params(params):
    members = params if isinstance(params, dict) else {}
    given, context = members.get("input"), members.get("context")
    if not isinstance(given, dict) or not isinstance(context, dict):
        raise Refusal(INVALID_PARAMS, "params: must be an object that holds the objects input and context")
    expected = {"user": str, "requestId": str, "deadline": int}
    if "timeLeft" in context:
        expected["timeLeft"] = int
    for name in ("arrived", "arrivedWithin"):
        if name in context:
            expected[name] = (int, float)
    for name, kind in expected.items():
        if not isinstance(context.get(name), kind) or isinstance(context.get(name), bool):
            wanted = kind.__name__ if isinstance(kind, type) else "a number"
            raise Refusal(INVALID_PARAMS, f"params.context.{name}: must be {wanted}")
    return given, context


def by_own_clock(request):
    """The request without times by the clock of a former start, which say nothing: a stop counts from its receipt then."""
    context = request.context
    if context.get("clock", CLOCK) == CLOCK:
        return request
    if request.lane == "change":
        raise Refusal(UNAVAILABLE, "The engine has started again since this change was sent to it; nothing was changed")
    own = {name: value for name, value in context.items() if name not in ("arrived", "arrivedWithin")}
    return request._replace(context=own)


def is_late(request):
    """
    Whether nobody waits any more. A stop goes by the time left alone: it must get through if this machine's clock is off. One whose
    arrival is known is never late: the order of arrivals decides.
    """
    context = request.context
    if request.lane == "stop" and "arrived" in context:
        return False
    is_past_deadline = engine_time() >= context["deadline"]
    if "timeLeft" not in context:
        return is_past_deadline
    is_used_up = (time.monotonic() - request.received) * 1000 >= context["timeLeft"]
    return is_used_up or (request.lane == "change" and is_past_deadline)


def own_time(envelope):
    """This machine's time and the name of its clock, for gateways that speak of the time left; JSON-RPC has no such member."""
    params = envelope.get("params")
    context = params.get("context") if isinstance(params, dict) else None
    return {"now": int(engine_time()), "clock": CLOCK} if isinstance(context, dict) and "timeLeft" in context else {}


def signature_of(name, call):
    """The parameters of an operation's function. Their types say what input is understood, so each has to have one."""
    signature = inspect.signature(call)
    for parameter in signature.parameters.values():
        if parameter.annotation is parameter.empty or isinstance(parameter.annotation, str):
            wanted = f'write its type as a class, such as "{parameter.name}: str"'
            raise TypeError(f'the function of {name} has the parameter "{parameter.name}" without a type: {wanted}')
    return signature


def check_input(signature, given):
    """Compares input with the parameters of the operation's function: they are named as the contract names them."""
    parameters = signature.parameters
    # An operation with open-ended filters takes any further field.
    others = next((item for item in parameters.values() if item.kind is item.VAR_KEYWORD), None)
    for name, value in given.items():
        parameter = parameters.get(name, others)
        if parameter is None:
            raise Refusal(INVALID_PARAMS, f"params.input.{name}: is unknown")
        if not isinstance(value, parameter.annotation):
            raise Refusal(INVALID_PARAMS, f"params.input.{name}: must be {getattr(parameter.annotation, '__name__', parameter.annotation)}")
    for name, parameter in parameters.items():
        if parameter is not others and parameter.default is parameter.empty and name not in given:
            raise Refusal(INVALID_PARAMS, f"params.input.{name}: is required")
