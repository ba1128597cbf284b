import CChatelaine
import Foundation
import Testing

/// A compromised process tries to do what its profile forbids, and fails.
@Suite(.enabled(if: chatelaine_landlock_version() >= 3, "optional: this kernel has no Landlock of version 3"))
struct AttemptTests {
    private typealias Outcome = SandboxProbe.Outcome

    /// Attempts that no Chatelaine process ever makes.
    private static let deadly = [
        "execute_descriptor", "trace_parent", "read_parent", "write_parent", "take_descriptor", "become_other",
        "namespaces", "other_namespace", "mount_something", "new_mount", "root_folder", "key", "add_key",
        "bpf_program", "performance", "faults", "ring", "handle", "module", "persona", "foreign_abi", "old_abi",
    ]
    private static let making = [
        "make_outside", "make_folder_outside", "remove_outside", "write_outside", "cut_outside",
    ]
    private static let naming = ["rename_out", "rename_in"]
    private static let unknown = [
        "truncate_outside", "symlink_inside", "pipe_inside", "device_inside", "mode_outside",
        "attribute_outside", "listen_anywhere", "memory_file", "make_code_by_key", "new_process_3", "unknown",
    ]
    /// What securityd does with file keychains, and what else it could do by the same calls.
    private static let second = ["link_inside", "private_inside"]
    private static let linking = ["link_out", "link_in"]
    private static let altering = ["link_followed", "mode_inside", "mode_by_descriptor"]
    private static let code = ["map_code", "make_code"]
    private static let refused = [
        "new_process", "new_namespace", "signal_parent_thread", "dump_memory", "dumpable", "tracer", "own_signals",
        "raise_limit", "limit_of_parent",
    ]
    private static let working = [
        "rename_inside", "write_inside", "make_inside", "remove_inside", "thread", "map_data", "signal_self",
    ]
    private static let families = ["inet", "inet6", "netlink", "packet", "wide_family"]

    private func expect(
        _ attempts: [String], _ outcomes: [SandboxProbe.Outcome], as profile: String,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let probe = try SandboxProbe()
        for attempt in attempts {
            let outcome = try probe.make(attempt, as: profile)
            #expect(outcomes.contains(outcome), "\(profile): \(attempt) → \(outcome)", sourceLocation: location)
        }
    }

    /// Without a sandbox the attempts succeed, or at least do not end the process, so that the other tests prove
    /// something.
    @Test func withoutASandbox() throws {
        let possible =
            Self.working + Self.making + Self.naming + Self.code + [
                "read_outside", "list_root", "truncate_outside", "link_out", "link_in", "link_inside", "link_followed",
                "private_inside", "mode_inside", "symlink_inside", "pipe_inside", "mode_outside", "mode_by_descriptor",
                "socket_inside", "inet", "unix_socket", "new_process", "dumpable",
                "own_signals", "memory_file", "persona", "foreign_abi",
            ]
        let probe = try SandboxProbe()
        for attempt in possible where attempt != "foreign_abi" {
            #expect(try probe.make(attempt, as: "none") == .done, "\(attempt)")
        }
        #expect(try probe.make("execute_true", as: "none") == .silent)
        for attempt in Self.deadly where !["foreign_abi", "old_abi"].contains(attempt) {
            #expect(try probe.make(attempt, as: "none") != .killed, "\(attempt)")
        }
    }

    @Test func custodian() throws {
        let profile = "custodian"
        try expect(Self.working, [.done], as: profile)
        try expect(Self.deadly + ["execute_true", "capabilities"], [.killed], as: profile)
        try expect(
            Self.making + Self.code + ["read_outside", "list_root", "watch_proc", "mode_by_descriptor"],
            [.error(EACCES)], as: profile)
        try expect(Self.naming, [.error(EACCES), .error(EXDEV)], as: profile)
        try expect(
            Self.unknown + Self.families + Self.linking + Self.second + [
                "link_followed", "mode_inside", "unix_socket", "socket_inside", "signal_parent", "own_filter",
            ], [.error(ENOSYS)], as: profile)
        try expect(Self.refused, [.error(EPERM)], as: profile)
        try expect(["type_ahead"], [.error(ENOTTY)], as: profile)
    }

    @Test func daemon() throws {
        let profile = "daemon"
        try expect(
            Self.working + Self.second + ["read_outside", "list_root", "unix_socket"], [.done], as: profile)
        try expect(Self.deadly + ["execute_true", "capabilities"], [.killed], as: profile)
        try expect(Self.making + Self.code + ["watch_proc"], [.error(EACCES)], as: profile)
        try expect(Self.naming + Self.linking, [.error(EACCES), .error(EXDEV)], as: profile)
        try expect(Self.altering, [.error(EPERM)], as: profile)
        try expect(
            Self.unknown + ["socket_inside", "signal_parent", "own_filter"], [.error(ENOSYS)], as: profile)
        try expect(Self.families, [.error(EAFNOSUPPORT)], as: profile)
        try expect(Self.refused, [.error(EPERM)], as: profile)
        try expect(["type_ahead"], [.error(ENOTTY)], as: profile)
    }

    @Test func spawner() throws {
        let profile = "spawner"
        // The process may execute its own program only.
        try expect(["execute_true"], [.silent], as: profile)
        try expect(["execute_false"], [.error(EACCES)], as: profile)
        try expect(["new_process", "thread"], [.done], as: profile)
        try expect(Self.deadly, [.killed], as: profile)
        try expect(
            Self.families + ["unix_socket", "listen_anywhere", "link_out", "unknown"], [.error(ENOSYS)], as: profile)
        // Not even a process of the same user can be signalled. Signals reach only processes that it started.
        try expect(["new_namespace", "signal_parent"], [.error(EPERM)], as: profile)
    }

    /// Its children need the network, and so it has the network as well.
    @Test func fetchSpawner() throws {
        let profile = "fetchSpawner"
        try expect(["inet", "inet6", "new_process", "thread"], [.done], as: profile)
        try expect(["execute_false"], [.error(EACCES)], as: profile)
        try expect(Self.deadly, [.killed], as: profile)
        try expect(["netlink", "packet", "unix_socket"], [.error(EAFNOSUPPORT)], as: profile)
        try expect(["listen_anywhere", "link_out", "unknown"], [.error(ENOSYS)], as: profile)
        try expect(["new_namespace", "signal_parent"], [.error(EPERM)], as: profile)
    }

    @Test func procHelperSupervisor() throws {
        let profile = "procHelperSupervisor"
        try expect(["new_process", "thread", "read_outside"], [.done], as: profile)
        try expect(Self.deadly + ["execute_true", "capabilities"], [.killed], as: profile)
        try expect(["make_outside", "write_outside", "cut_outside"], [.error(EPERM)], as: profile)
        try expect(
            Self.naming + Self.families + ["make_folder_outside", "remove_outside", "unix_socket"], [.error(ENOSYS)],
            as: profile)
        // Only SIGKILL can be sent.
        try expect(["new_namespace", "signal_parent"], [.error(EPERM)], as: profile)
        try expect(Self.code, [.error(EACCES)], as: profile)
    }

    @Test func busListener() throws {
        let profile = "busListener"
        try expect(["unix_socket", "thread", "map_data", "signal_self"], [.done], as: profile)
        try expect(Self.deadly + ["execute_true", "capabilities"], [.killed], as: profile)
        // The process opens no file, not even for reading.
        try expect(
            Self.naming + Self.unknown + Self.making + [
                "read_outside", "list_root", "write_inside", "make_inside", "socket_inside", "watch_proc",
                "signal_parent", "mode_by_descriptor", "own_filter",
            ], [.error(ENOSYS)], as: profile)
        try expect(Self.families, [.error(EAFNOSUPPORT)], as: profile)
        try expect(Self.code, [.error(EACCES)], as: profile)
        try expect(Self.refused, [.error(EPERM)], as: profile)
    }

    @Test func procReader() throws {
        let profile = "procReader"
        try expect(["read_outside", "list_root"], [.done], as: profile)
        try expect(Self.deadly + ["execute_true", "capabilities"], [.killed], as: profile)
        try expect(["make_outside", "write_outside", "cut_outside"], [.error(EPERM)], as: profile)
        try expect(
            Self.naming + Self.unknown + Self.families + [
                "make_folder_outside", "remove_outside", "unix_socket", "signal_parent", "mode_by_descriptor",
            ], [.error(ENOSYS)], as: profile)
        try expect(Self.code, [.error(EACCES)], as: profile)
        try expect(Self.refused, [.error(EPERM)], as: profile)
    }

    /// The profile allows what a desktop toolkit needs, and so also what an intruder in it can do.
    @Test func dialogs() throws {
        let profile = "dialogs"
        try expect(
            Self.working + Self.code + [
                "new_process", "inet", "inet6", "netlink", "unix_socket", "memory_file", "read_outside", "list_root",
            ], [.done], as: profile)
        try expect(["execute_true"], [.silent], as: profile)
        try expect(
            [
                "trace_parent", "read_parent", "write_parent", "take_descriptor", "mount_something", "new_mount",
                "root_folder", "bpf_program", "faults", "handle", "module", "foreign_abi", "old_abi",
            ], [.killed], as: profile)
        try expect(
            ["namespaces", "other_namespace", "new_namespace", "performance", "type_ahead", "become_other"],
            [.error(EPERM)], as: profile)
        try expect(["key", "add_key", "ring", "new_process_3"], [.error(ENOSYS)], as: profile)
        try expect(["packet"], [.error(EAFNOSUPPORT)], as: profile)
    }

    @Test func agent() throws {
        let profile = "agent"
        try expect(["thread", "map_data"], [.done], as: profile)
        try expect(Self.deadly + ["execute_true", "capabilities"], [.killed], as: profile)
        try expect(
            Self.naming + Self.unknown + Self.families + Self.making + [
                "read_outside", "list_root", "unix_socket", "mode_by_descriptor",
            ], [.error(ENOSYS)], as: profile)
        try expect(Self.code, [.error(EACCES)], as: profile)
        try expect(["new_process", "new_namespace", "signal_parent_thread"], [.error(EPERM)], as: profile)
        try expect(["type_ahead"], [.error(ENOTTY)], as: profile)
    }

    /// A worker may be taken over by a certificate, key file, key or message of a stranger.
    ///
    /// One profile sets its whole filter itself, another one narrows an inherited filter.
    @Test(arguments: ["forkedWorker", "worker"]) func workers(_ profile: String) throws {
        try expect(["map_data"], [.done], as: profile)
        try expect(["signal_self"], [.error(EPERM)], as: profile)
        try expect(Self.deadly + ["execute_true", "capabilities"], [.killed], as: profile)
        try expect(
            Self.naming + Self.unknown + Self.families + Self.making + [
                "read_outside", "list_root", "write_inside", "make_inside", "unix_socket", "socket_inside",
                "watch_proc",
                "signal_parent", "mode_by_descriptor", "own_filter",
            ], [.error(ENOSYS)], as: profile)
        try expect(Self.code, [.error(EACCES)], as: profile)
        try expect(Self.refused, [.error(EPERM)], as: profile)
    }

    /// A server's answer may take over its library, which has the network but only the files for looking up names.
    @Test func fetches() throws {
        let profile = "fetches"
        // The kernel ignores the bits beyond the word of the family.
        try expect(["inet", "inet6", "wide_family", "thread", "map_data", "signal_self"], [.done], as: profile)
        try expect(Self.deadly + ["execute_true", "capabilities"], [.killed], as: profile)
        try expect(["netlink", "packet", "unix_socket"], [.error(EAFNOSUPPORT)], as: profile)
        try expect(
            ["read_outside", "list_root", "watch_proc", "mode_by_descriptor"], [.error(EACCES)], as: profile)
        try expect(["make_outside", "write_outside", "write_inside", "make_inside"], [.error(EPERM)], as: profile)
        try expect(
            Self.naming + Self.unknown + [
                "make_folder_outside", "remove_outside", "cut_outside", "signal_parent", "own_filter",
            ], [.error(ENOSYS), .error(EPERM)], as: profile)
        try expect(Self.code, [.error(EACCES)], as: profile)
        try expect(Self.refused, [.error(EPERM)], as: profile)
    }

    /// The fork server forks itself, and opens no file, not even for reading.
    @Test func forkServer() throws {
        let profile = "forkServer"
        try expect(["new_process", "thread", "map_data", "signal_self"], [.done], as: profile)
        try expect(Self.deadly + ["execute_true", "capabilities"], [.killed], as: profile)
        try expect(
            Self.naming + Self.unknown + Self.families + Self.making + [
                "read_outside", "list_root", "write_inside", "make_inside", "unix_socket", "socket_inside",
                "watch_proc",
                "mode_by_descriptor",
            ], [.error(ENOSYS)], as: profile)
        // Only SIGKILL can be sent.
        try expect(["new_namespace", "signal_parent"], [.error(EPERM)], as: profile)
        try expect(Self.code, [.error(EACCES)], as: profile)
    }

    @Test(arguments: ["custodian", "daemon", "spawner", "busListener", "forkServer", "fetches"])
    func everythingIsOnAndSaid(_ profile: String) throws {
        let states = try SandboxProbe().states(as: profile)
        let names = states.map { $0.split(separator: " ")[0] }
        #expect(names == ["calls", "files", "privileges", "dumping", "limits", "memory"])
        #expect(states.allSatisfy { $0.split(separator: " ")[1] == "on" }, "\(states)")
    }

    @Test func refusedCallsAreCounted() throws {
        let states = try SandboxProbe().states(as: "custodian", after: "inet")
        #expect(states.last?.contains("refused refused once, last socket") == true, "\(states)")
        // A refusal that libraries provoke as a matter of course is not reported.
        #expect(
            try SandboxProbe().states(as: "custodian", after: "new_process_3").contains { $0.hasPrefix("refused") }
                == false)
    }
}
