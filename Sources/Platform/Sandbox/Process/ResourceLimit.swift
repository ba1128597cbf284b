import Glibc

/// A limit of the system that a daemon sets itself; none can be raised again.
package struct ResourceLimit: Sendable {
    let name: String
    let resource: UInt32
    let value: rlim_t

    /// A core file would hold keys.
    static let noCore = ResourceLimit(name: "core", resource: RLIMIT_CORE.rawValue, value: 0)

    /// enclaved: 3 standard ones, 32 channels, three with each of 8 requests that bring passwords, 6 to workers and two to whoever has them, and a few files at a time. The listener to the system bus: what comes with a message.
    static let fewDescriptors = ResourceLimit(name: "descriptors", resource: RLIMIT_NOFILE.rawValue, value: 96)
    /// securityd: 320 connections of a user, 64 that end and 64 that wait for a person, with six descriptors each while they are made
    /// (socket, pidfd, folder in /proc, executable, its memory, one that was sent), and the store's. select(2) is not used.
    static let manyDescriptors = ResourceLimit(name: "descriptors", resource: RLIMIT_NOFILE.rawValue, value: 4096)
    /// The reader of /proc has six open at the most. But this is also how many descriptors the user's programs may have on their way when
    /// it sends one (ETOOMANYREFS, unix(7)), and each greeting of securityd brings one: so it is securityd's.
    static let passedDescriptors = ResourceLimit(
        name: "descriptors", resource: RLIMIT_NOFILE.rawValue, value: manyDescriptors.value)

    /// enclaved writes a UID key and keybags of a few KiB; whatever wants to write more is no code of ours.
    static let smallFiles = ResourceLimit(name: "file size", resource: RLIMIT_FSIZE.rawValue, value: 16 << 20)

    /// The listener to the system bus: a message has 32 MiB at the most where the bus is left as it comes, and one is looked at at a time.
    /// trustd: one signature, of which decoded forms together are a few MiB.
    static let boundedData = ResourceLimit(name: "data", resource: RLIMIT_DATA.rawValue, value: 128 << 20)

    /// A worker of trustd: one question, which takes a hundredth of that.
    package static let fewSeconds = ResourceLimit(name: "processor seconds", resource: RLIMIT_CPU.rawValue, value: 5)

    /// formatd: one file of 16 MiB, as it came, decoded, unpacked, and in the answer.
    static let dataOfFile = ResourceLimit(name: "data", resource: RLIMIT_DATA.rawValue, value: 256 << 20)

    /// formatd: what may be asked of it takes half of that at the most.
    static let secondsOfFile = ResourceLimit(name: "processor seconds", resource: RLIMIT_CPU.rawValue, value: 20)

    /// Lowers the limit, and never raises it: what an administrator allows less stays so.
    package func apply() -> Bool {
        let resource = __rlimit_resource_t(resource)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return false }
        limit.rlim_cur = min(value, limit.rlim_max)
        limit.rlim_max = limit.rlim_cur
        return setrlimit(resource, &limit) == 0
    }
}
