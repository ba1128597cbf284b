import Glibc

extension Confinement {
    /// The files that the C library reads to resolve a name.
    ///
    /// Modules of the name service are code, so they are not here. The C library itself handles files and DNS, and
    /// skips modules that it cannot load.
    private static let nameResolution = [
        "/etc/resolv.conf", "/etc/hosts", "/etc/host.conf", "/etc/nsswitch.conf", "/etc/gai.conf", "/etc/services",
    ]

    /// The process that asks one server: the network, the files of name resolution, its channel, and nothing else.
    ///
    /// It neither listens nor connects to Unix sockets, but makes pairs of them, which lead nowhere else. The process
    /// itself checks the addresses to which it connects: a filter cannot see them.
    package static func fetches() -> Confinement {
        let writing = UInt32(O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)
        let flags = SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        let rules: [FilterRule] = [
            // The thread that resolves a name wakes the other thread through a socket pair. A pair of another type than
            // a stream could be connected elsewhere.
            .allow(
                .socketpair, if: .word(0, in: [UInt32(AF_UNIX)]),
                .bits(argument: 1, mask: ~flags, values: [SOCK_STREAM.rawValue]), otherwise: FilterRule.permission),
            .allow(.pipe2),
            .allow(.openat, if: .bits(argument: 2, mask: writing, values: [0]), otherwise: FilterRule.permission),
            .allow(.open, if: .bits(argument: 1, mask: writing, values: [0]), otherwise: FilterRule.permission),
        ]
        return Confinement(
            filter: SystemCallFilter(
                frequent: FilterRule.frequent,
                rules: FilterRule.asking + rules + FilterRule.working + FilterRule.forbidden),
            files: FileRules(
                nameResolution.map { FileRules.Place(path: $0, rights: .readFile) }, reachesNetwork: true))
    }
}

extension FilterRule {
    /// To connect to servers, and to ask for their addresses; no listening.
    static var asking: [FilterRule] {
        let internet: [UInt32] = [UInt32(AF_INET), UInt32(AF_INET6)]
        // The C library asks for addresses by netlink and asks the name service's daemon; it works without both.
        let otherFamily = Verdict.answer(UInt16(EAFNOSUPPORT))
        return [.allow(.socket, if: .word(0, in: internet), otherwise: otherFamily)]
            + ([.connect, .getpeername, .sendmmsg, .eventfd2] as [SystemCall]).map(allow)
    }
}
