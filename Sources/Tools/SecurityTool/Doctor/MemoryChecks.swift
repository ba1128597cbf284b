import Glibc

/// Checks whether keys can be kept out of swap.
struct MemoryChecks {
    /// The memory that both daemons lock at rest, a few regions of 256 KiB each, with room for traffic.
    private static let wantedBytes: UInt64 = 2 * 1024 * 1024

    let limit: UInt64

    /// RLIMIT_MEMLOCK, which daemons that this process starts inherit.
    static var limitOfProcess: UInt64 {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &limit) == 0 else { return 0 }
        return UInt64(limit.rlim_cur)
    }

    func findings() -> [Finding] {
        let name = "memory.limit"
        guard limit >= Self.wantedBytes else {
            return [
                Finding(
                    name, .degraded,
                    "\(Quantity.bytes(Int64(clamping: limit))) may be locked; keys beyond that can reach swap",
                    remedy:
                        "raise it: ulimit -l, “memlock” in /etc/security/limits.conf, or LimitMEMLOCK=8M in the unit")
            ]
        }
        let text = limit > UInt64(Int64.max) ? "any amount" : Quantity.bytes(Int64(clamping: limit))
        return [Finding(name, .ok, "\(text) of memory may be locked")]
    }
}
