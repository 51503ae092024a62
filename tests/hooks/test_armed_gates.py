from pathlib import Path

from hooks.armed_gates import armed_gates
from hooks.hot.markers import save_marker
from tests.hooks.hot.test_markers import make_marker


def test_armed_gates_are_told_newest_first(data_folder):
    save_marker(data_folder, make_marker(session_id="old", armed_at=100.0))
    save_marker(data_folder, make_marker(session_id="a session / with a name", armed_at=200.0))

    assert [gate.session_id for gate in armed_gates(data_folder)] == ["a session / with a name", "old"]


def test_a_damaged_marker_is_passed_over(data_folder):
    Path(data_folder.gate_markers).mkdir(parents=True)
    Path(data_folder.gate_markers, "s.json").write_text("{")

    assert armed_gates(data_folder) == []
