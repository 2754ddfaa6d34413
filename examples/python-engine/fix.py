"""FIX gateways and their sessions. No peer ever calls: sessions that begin connected stay so until a command."""

import time

from contract import not_found

LIST_FORM = (
    "gatewayName sessionId status localPort remoteIp remotePort inboundSequence outboundSequence"
).split()
COUNTERS = ("messagesSent", "messagesReceived", "bytesSent", "bytesReceived")
NO_CONNECTION = {"localIp": None, "localPort": None, "remoteIp": None, "remotePort": None}
# A logon and its answer.
LOGON = {"messagesSent": 1, "messagesReceived": 1, "bytesSent": 96, "bytesReceived": 128}
FIRST_EPHEMERAL_PORT = 32768


def now():
    return int(time.time() * 1000)


class FixGateways:
    def __init__(self, gateways):
        self._gateways = {entry["name"]: Gateway(entry) for entry in gateways}

    def list(self):
        return [gateway.summary() for gateway in self._gateways.values()]

    def get(self, gateway: str):
        return self._find(gateway).detail()

    def list_sessions(self, gateway: str):
        sessions = self._find(gateway).sessions.values()
        return [{field: session[field] for field in LIST_FORM} for session in sessions]

    def get_session(self, gateway: str, session: str):
        return dict(self._find(gateway).session(session))

    def disable(self, gateway: str, session: str):
        """Drops the connection and refuses logons from now on."""
        return self._find(gateway).move(session, ("Connected", "Disconnected"), "Disabled")

    def enable(self, gateway: str, session: str):
        """Lets a disabled session log on again; any other stays as it is."""
        return self._find(gateway).move(session, ("Disabled",), "Disconnected")

    def disconnect(self, gateway: str, session: str):
        """Drops the connection; the peer may log on again immediately."""
        return self._find(gateway).move(session, ("Connected",), "Disconnected")

    def _find(self, name):
        if name not in self._gateways:
            raise not_found(f'Unknown FIX gateway "{name}"')
        return self._gateways[name]


class Gateway:
    def __init__(self, entry):
        self._name, self._type = entry["name"], entry["type"]
        self._updated = now()
        self._accepted = 0
        self.sessions = {}
        for index, session in enumerate(entry["sessions"]):
            self.sessions[session["id"]] = self._open(entry, session, FIRST_EPHEMERAL_PORT + index)

    def _open(self, entry, session, ephemeral_port):
        connected = session["status"] == "Connected"
        detail = {
            "gatewayName": self._name,
            "sessionId": session["id"],
            "status": session["status"],
            "inboundSequence": 1,
            "outboundSequence": 1,
            "gatewayType": self._type,
            "senderId": session["sender"],
            "targetId": session["target"],
            **NO_CONNECTION,
            "connectTimestamp": None,
            "disconnectTimestamp": None,
            **dict.fromkeys(COUNTERS, 0),
        }
        if connected:
            self._accepted += 1
            detail.update(
                LOGON,
                inboundSequence=2,
                outboundSequence=2,
                connectTimestamp=now(),
                localIp=entry["localIp"],
                localPort=entry["localPort"] or ephemeral_port,
                remoteIp=session["remoteIp"],
                remotePort=session["remotePort"] or ephemeral_port,
            )
        return detail

    def summary(self):
        return {"gatewayName": self._name, "gatewayType": self._type, "updateTimestamp": self._updated}

    def detail(self):
        totals = {name: sum(session[name] for session in self.sessions.values()) for name in COUNTERS}
        return {
            **self.summary(),
            "sessions": len(self.sessions),
            "acceptedConnections": self._accepted,
            "rejectedConnections": 0,
            **totals,
        }

    def session(self, name):
        if name not in self.sessions:
            raise not_found(f'Unknown FIX session "{name}" of gateway "{self._name}"')
        return self.sessions[name]

    def move(self, name, origins, status):
        """Carries a command out where it applies, then answers the state that is really there."""
        session = self.session(name)
        if session["status"] in origins:
            self._updated = now()
            if session["status"] == "Connected":
                session.update(NO_CONNECTION, disconnectTimestamp=self._updated)
            session["status"] = status
        return dict(session)
