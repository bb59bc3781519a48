"""Deeds with the network: only listeners that the test has planted on this machine are called."""

import socket

from villain import TARGETS, attempt

WORD = b"awale-hostile"


def call(family, kind, address):
    with socket.socket(family, kind) as line:
        line.settimeout(2)
        line.connect(address)
        line.sendall(WORD)
        return "sent"


def call_tcp(villain):
    address = ("127.0.0.1", TARGETS["tcp"])
    attempt("a TCP connection to the host", lambda: call(socket.AF_INET, socket.SOCK_STREAM, address))


def call_udp(villain):
    """A datagram is sent into nothing as well: what counts is whether the host hears it."""
    def send():
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
            line.sendto(WORD, ("127.0.0.1", TARGETS["udp"]))
    attempt("a UDP datagram to the host", send)


def call_abstract(villain):
    address = "\0" + TARGETS["abstract"]
    attempt("an abstract socket of the host", lambda: call(socket.AF_UNIX, socket.SOCK_STREAM, address))


def call_path(villain):
    address = TARGETS["socket"]
    attempt("a socket of the host by its path", lambda: call(socket.AF_UNIX, socket.SOCK_STREAM, address))


def odd_sockets(villain):
    """Only made, never used."""
    for name, family, kind in (
        ("vsock", 40, socket.SOCK_STREAM),
        ("vsock datagram", 40, socket.SOCK_DGRAM),
        ("raw", socket.AF_INET, socket.SOCK_RAW),
        ("packet", socket.AF_PACKET, socket.SOCK_RAW),
        ("kernel crypto", 38, socket.SOCK_SEQPACKET),
        ("bluetooth", 31, socket.SOCK_RAW),
    ):
        attempt(f"a {name} socket", lambda: bool(socket.socket(family, kind, 1 if name == "raw" else 0)))


DEEDS = {deed.__name__: deed for deed in (call_tcp, call_udp, call_abstract, call_path, odd_sockets)}
