"""Faults that are tried by tests, for the table of docs/robustness.md."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """A fault, what Softdock does, and the tests that try it."""

    fault: str
    effect: str
    tests: tuple[str, ...]
    """`path::function` below `tests`."""


TROUBLE, RUNNER = "campaign/test_trouble.py", "campaign/test_runner.py"
CAD, RECEIVED, CACHE = (
    "geometry/test_damaged_files.py",
    "studio/test_received_folders.py",
    "files/test_cache.py",
)
REQUESTS, MEASURED = "studio/test_request_checks.py", "robot/test_measured_limits.py"
PERMISSIONS, FOUND = "files/test_permissions.py", "fuzz/test_found.py"
IN_PLACE, ENTRY, CONNECTIONS = (
    "files/test_in_place.py",
    "studio/test_browser_entry.py",
    "studio/test_connections.py",
)

FAULTS = (
    Fault(
        "SIGKILL during a campaign, 20 times",
        "no finished run is lost; the resumed table equals an undisturbed one",
        ("campaign/test_kill.py::test_sigkill_loses_no_completed_run",),
    ),
    Fault(
        "SIGKILL while a file is written",
        "the old content stays",
        ("files/test_atomic.py::test_a_killed_process_keeps_the_old_content",),
    ),
    Fault(
        "SIGKILL of the studio",
        "its workers end without output",
        (f"{FOUND}::test_a_worker_of_a_killed_studio_prints_nothing",),
    ),
    Fault(
        "disk full during a campaign (tmpfs of 400 kB)",
        "stops with the number of kept runs and the command to continue",
        (f"{TROUBLE}::test_a_full_disk_stops_the_campaign",),
    ),
    Fault(
        "disk full at the first transaction",
        "states that nothing is kept",
        (
            f"{TROUBLE}::test_a_disk_that_is_full_at_the_start_is_reported",
            f"{TROUBLE}::test_the_first_transaction_claims_no_runs",
        ),
    ),
    Fault(
        "disk full while a history is written",
        "stops; the rows before it are stored",
        (f"{TROUBLE}::test_a_history_that_cannot_be_written_stops_the_campaign",),
    ),
    Fault(
        "disk full while a result, report, replay, picture, scenario, exported model or upload is written",
        "message with the name of the file; nothing is left in part; `run` prints its result",
        (
            "files/test_full_disk.py::test_no_incomplete_file_is_written",
            "command_line/test_cli.py::test_a_result_that_cannot_be_written_is_printed",
        ),
    ),
    Fault(
        "Ctrl-C during a long run or a campaign",
        "exit code 130; no empty folder is left; a campaign names the command to continue",
        (
            "command_line/test_bad_input.py::test_ctrl_c_ends_a_long_run_at_once",
            "campaign/test_command.py::test_ctrl_c_is_reported_once_with_the_command_to_continue",
        ),
    ),
    Fault(
        "disk that becomes read-only",
        "stops with what is kept",
        (f"{TROUBLE}::test_a_disk_that_becomes_read_only_stops_the_campaign",),
    ),
    Fault(
        "read-only folder",
        "refused before the first run; an existing campaign can be read",
        (
            f"{PERMISSIONS}::test_a_campaign_in_a_read_only_folder_does_not_start",
            f"{RUNNER}::test_a_read_only_folder_is_refused_and_can_still_be_read",
            f"{PERMISSIONS}::test_a_result_in_a_read_only_folder_is_kept",
        ),
    ),
    Fault(
        "unreadable file of any format",
        "message with its name",
        (f"{PERMISSIONS}::test_an_unreadable_file_is_named",),
    ),
    Fault(
        "database deleted during a campaign",
        "written again from memory; stops with the command to continue",
        (
            f"{TROUBLE}::test_a_deleted_table_is_written_again",
            f"{TROUBLE}::test_a_table_deleted_after_the_last_run_is_written_again",
        ),
    ),
    Fault(
        "database replaced during a campaign",
        "the other file stays; rows are kept under another name",
        (f"{TROUBLE}::test_a_replaced_table_is_not_overwritten",),
    ),
    Fault(
        "folder moved or deleted during a campaign",
        "stops with what is kept and how to continue",
        (
            f"{TROUBLE}::test_a_moved_folder_stops_the_campaign",
            f"{TROUBLE}::test_a_deleted_folder_stops_the_campaign",
        ),
    ),
    Fault("network file system", "refused", (f"{RUNNER}::test_network_drives_are_refused",)),
    Fault(
        "two processes on one campaign",
        "the second is refused",
        (f"{RUNNER}::test_a_second_process_is_refused",),
    ),
    Fault(
        "campaign folder that names a file elsewhere",
        "refused unless the user names the file or started it",
        (
            f"{RUNNER}::test_a_received_campaign_does_not_choose_the_file_that_is_read",
            f"{RECEIVED}::test_a_campaign_does_not_choose_files_outside_the_folder",
        ),
    ),
    Fault(
        "forged campaign table",
        "refused with the damaged entry",
        (f"{FOUND}::test_forged_campaign_tables_are_refused",),
    ),
    Fault(
        "forged result or history",
        "refused with the field",
        (f"{FOUND}::test_forged_results_are_refused",),
    ),
    Fault(
        "damaged scenario in a result",
        "message; the rest of the result is shown",
        (
            f"{FOUND}::test_a_damaged_scenario_in_a_result",
            f"{FOUND}::test_a_requirement_whose_stored_unit_is_another_one",
        ),
    ),
    Fault(
        "path with a null character, or of another type, in Python",
        "refused with the argument",
        (f"{FOUND}::test_paths_of_another_type_or_with_a_null_character",),
    ),
    Fault(
        "markup in names of a received folder",
        "shown as text",
        (
            f"{RECEIVED}::test_strings_of_a_result_are_escaped",
            f"{FOUND}::test_markup_in_any_name_is_shown_as_text",
        ),
    ),
    Fault(
        "forged replay",
        "drawn again from its result",
        (f"{RECEIVED}::test_a_forged_replay_is_drawn_again",),
    ),
    Fault(
        "cache entry or folder of another user",
        "ignored",
        (
            f"{CACHE}::test_an_entry_of_another_user_is_ignored",
            f"{CACHE}::test_an_entry_that_others_may_write_is_ignored_and_replaced",
            f"{CACHE}::test_a_folder_that_others_may_write_is_not_used",
        ),
    ),
    Fault("symbolic links in the cache", "not followed", (f"{CACHE}::test_links_are_not_followed",)),
    Fault(
        "symbolic link, hard link or named pipe in place of a lock, log, table or history of a received folder",
        "refused; nothing outside the folder is written",
        (
            f"{IN_PLACE}::test_a_symbolic_link_is_not_followed",
            f"{IN_PLACE}::test_a_second_name_of_a_file_is_not_changed",
            f"{IN_PLACE}::test_a_named_pipe_is_not_waited_for",
            f"{IN_PLACE}::test_histories_are_not_stored_through_a_link",
        ),
    ),
    Fault(
        "symbolic link in place of any other file that is written",
        "replaced, not followed",
        ("files/test_atomic.py::test_a_link_is_replaced_and_not_followed",),
    ),
    Fault(
        "named pipe, device (/dev/zero), socket or folder as input file",
        "refused before any content is read",
        (
            f"{CAD}::test_pipes_devices_and_folders_are_rejected_before_reading",
            "files/test_regular_file.py::test_folders_pipes_devices_and_sockets_are_not_read",
            "command_line/test_bad_input.py::test_a_pipe_as_cad_file_is_refused",
        ),
    ),
    Fault(
        "STEP file that crashes its library",
        "message with its name, exit code 2, no other output",
        (
            f"{CAD}::test_damaged_step_files_give_errors",
            "command_line/test_bad_input.py::test_a_step_file_that_crashes_its_library_is_refused",
        ),
    ),
    Fault(
        "library that crashes, hangs, prints or allocates without end",
        "ended at its limit; message with the name of the file",
        ("files/test_child_process.py::test_failures_become_errors_that_name_the_file",),
    ),
    Fault("foreign Host header", "403", (f"{REQUESTS}::test_a_foreign_host_is_refused",)),
    Fault(
        "foreign Origin header, also of web sockets", "403", (f"{REQUESTS}::test_a_foreign_page_is_refused",)
    ),
    Fault(
        "request without token",
        "403, and the connection is closed",
        (
            f"{REQUESTS}::test_with_a_token_requests_without_it_are_refused",
            f"{CONNECTIONS}::test_a_connection_is_closed_after_its_request_was_refused",
        ),
    ),
    Fault(
        "200 connections without token, opened again when they are closed",
        "requests with the token are answered",
        (f"{CONNECTIONS}::test_many_connections_without_a_token_do_not_disturb_one_with_it",),
    ),
    Fault(
        "another local user who reads the command lines of all processes",
        "finds neither the token nor the code for the browser",
        (f"{ENTRY}::test_the_browser_gets_in_without_a_secret_in_a_command_line",),
    ),
    Fault(
        "body above 20 MB, with or without a length",
        "413",
        (
            f"{REQUESTS}::test_a_body_with_a_huge_declared_length_is_refused",
            f"{REQUESTS}::test_a_huge_body_without_declared_length_is_refused",
        ),
    ),
    Fault(
        "malformed web socket message",
        "the connection is closed",
        ("studio/test_socket_messages.py::test_a_malformed_message_closes_the_connection",),
    ),
    Fault(
        "control characters in names of a received result",
        "escaped in the terminal and in JSON",
        (f"{FOUND}::test_names_of_a_received_result_have_no_control_characters_in_a_terminal",),
    ),
    Fault(
        "named pipes, loops of links and nested documents in the folder of the studio",
        "omitted from lists, not waited for",
        (
            f"{FOUND}::test_pipes_and_loops_of_links_in_the_folder_of_the_studio",
            f"{FOUND}::test_received_files_do_not_stop_the_studio",
            f"{FOUND}::test_a_pipe_has_no_thumbnail",
        ),
    ),
    Fault(
        "loop or long chain of bases, also by links",
        "refused with the field",
        (
            f"{FOUND}::test_a_base_that_is_a_loop_of_links",
            f"{FOUND}::test_a_long_chain_of_bases",
            "scenario/test_inheritance.py::test_a_loop_of_bases_is_refused",
        ),
    ),
    Fault(
        "campaign table with views or triggers",
        "refused before it is read",
        (f"{FOUND}::test_a_table_that_is_a_view_without_end",),
    ),
    Fault(
        "connections to the studio without a request, or with a head without end",
        "closed; other requests are answered",
        (
            f"{CONNECTIONS}::test_a_request_that_does_not_arrive_closes_the_connection",
            f"{CONNECTIONS}::test_the_oldest_of_too_many_waiting_connections_is_closed",
            f"{CONNECTIONS}::test_a_head_without_end_closes_the_connection",
        ),
    ),
    Fault(
        "names longer than the system allows",
        "message with the name",
        (
            f"{FOUND}::test_long_file_names",
            f"{FOUND}::test_a_long_name_of_the_output_folder",
        ),
    ),
    Fault(
        "flood of datagrams to a robot",
        "cycles are kept; a bounded number is read per cycle",
        ("robot/test_udp.py::test_a_flood_is_read_only_in_part",),
    ),
    Fault(
        "largest torque without stiffness and damping",
        "refused, or ended by a fallback at the measured limits",
        (
            f"{MEASURED}::test_commands_without_stiffness_and_damping_are_refused",
            f"{MEASURED}::test_the_largest_torque_exceeds_neither_speed_nor_position_limits",
        ),
    ),
    Fault(
        "monitor mode in every cycle",
        "does not add speed",
        (f"{MEASURED}::test_requests_of_monitor_mode_do_not_add_speed",),
    ),
    Fault(
        "client of a robot that stops",
        "the robot holds its position",
        ("robot/test_network.py::test_the_robot_holds_when_its_client_stops",),
    ),
)
