"""A client whose request never ends, and what it costs the process that reads it."""

import socket

MIB = 1024 * 1024
CHUNKED = "Host: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
# What follows the head for ever: none of it is payload.
ENDLESS = {"extension": "1;a=", "trailer": "0\r\nX: "}


def flood(port, request, mib):
    """Sends `request` and then letters, until so many MiB are sent or the server stops reading. Returns the
    first bytes of the answer."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as client:
        try:
            client.sendall(request.encode())
            for _ in range(mib):
                client.sendall(b"a" * MIB)
        except (BrokenPipeError, ConnectionResetError):
            pass
        client.shutdown(socket.SHUT_WR)
        return client.recv(65536)
