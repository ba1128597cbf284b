import ChatelaineIPC

/// Checks whether this process is in a foreign user namespace, and reports whether any user may make one.
struct NamespaceChecks {
    /// Longer than any number.
    private static let longestSwitch = 256

    func findings() -> [Finding] { [own, others] }

    private var own: Finding {
        guard UserNamespace.isForeign else {
            return Finding("namespace.own", .ok, "this process is in the user namespace of the session")
        }
        return Finding(
            "namespace.own", .degraded,
            "this process is in a user namespace of its own: no daemon is started from here",
            remedy: "run this outside the sandbox or container shell")
    }

    /// Reports whether a distribution's switch disables unprivileged user namespaces.
    ///
    /// This is for information only: browsers and sandboxes need them, and identities are checked against the daemon's
    /// own namespaces.
    private var others: Finding {
        let isOff = [
            "/proc/sys/user/max_user_namespaces", "/proc/sys/kernel/unprivileged_userns_clone",
        ].contains { (try? InputFile.bytes($0, limit: Self.longestSwitch)) == Array("0\n".utf8) }
        return Finding(
            "namespace.unprivileged", .ok,
            isOff
                ? "ordinary users cannot make user namespaces"
                : "ordinary users can make user namespaces; callers from within one get no “file” assurance")
    }
}
