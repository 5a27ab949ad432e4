"""Messages through pipes: they arrive in parts."""

from hypothesis import given
from hypothesis import strategies as st

from searchlab.experiments.messages import Ready, decode, encode, taken_from


@given(st.lists(st.text(max_size=300), max_size=6), st.integers(1, 400))
def test_messages_are_decoded_however_they_are_split(workers, size):
    """Each once and in order."""
    content = b"".join(encode(Ready(worker=worker)) for worker in workers)
    received, found = bytearray(), []
    for first in range(0, len(content), size):
        received += content[first : first + size]
        found += [decode(message, Ready).worker for message in taken_from(received)]
    assert found == workers
    assert not received
