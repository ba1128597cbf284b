import Glibc

/// A resource limit that a daemon sets for itself and can never raise again.
package struct ResourceLimit: Sendable {
    let name: String
    let resource: UInt32
    let value: rlim_t

    /// A core file would hold keys.
    static let noCore = ResourceLimit(name: "core", resource: RLIMIT_CORE.rawValue, value: 0)

    /// enclaved: 3 standard descriptors and 40 channels; three for each of 8 requests with passwords; 6 to workers and
    /// two to their parents; a few files at a time. The listener to the system bus: the descriptors that come with a
    /// message. A worker has one channel, and a few files while it begins.
    package static let fewDescriptors = ResourceLimit(name: "descriptors", resource: RLIMIT_NOFILE.rawValue, value: 96)
    /// securityd: 320 connections of a user, 64 that end and 64 that wait for a person, and the store's files.
    ///
    /// Each connection has six descriptors while it is made: socket, pidfd, folder in /proc, executable, its memory,
    /// and one that was sent. select(2) is not used.
    static let manyDescriptors = ResourceLimit(name: "descriptors", resource: RLIMIT_NOFILE.rawValue, value: 4096)
    /// The reader of /proc, and those that fork workers: six are open at the most, but the limit is securityd's.
    ///
    /// The limit of the sending process also bounds how many descriptors the user's programs may have in flight when it
    /// sends one (ETOOMANYREFS, unix(7)). Each greeting of securityd sends one.
    static let passedDescriptors = ResourceLimit(
        name: "descriptors", resource: RLIMIT_NOFILE.rawValue, value: manyDescriptors.value)

    /// enclaved writes a UID key and keybags of a few KiB; our code never writes more.
    static let smallFiles = ResourceLimit(name: "file size", resource: RLIMIT_FSIZE.rawValue, value: 16 << 20)

    /// The listener to the system bus: a message has 32 MiB at the most with the bus's default settings, and one is
    /// handled at a time. trustd: one signature, whose decoded forms together are a few MiB.
    static let boundedData = ResourceLimit(name: "data", resource: RLIMIT_DATA.rawValue, value: 128 << 20)

    /// A worker of trustd: one question, which needs a hundredth of that.
    package static let fewSeconds = ResourceLimit(name: "processor seconds", resource: RLIMIT_CPU.rawValue, value: 5)

    /// A worker of formatd: a file of 16 MiB as it came, decoded, unpacked, and in the reply.
    static let dataOfFile = ResourceLimit(name: "data", resource: RLIMIT_DATA.rawValue, value: 256 << 20)

    /// A worker of formatd: the largest request needs half of that.
    package static let secondsOfFile = ResourceLimit(
        name: "processor seconds", resource: RLIMIT_CPU.rawValue, value: 20)

    /// Raises the limits that the starting program may have set for itself alone, as far as it could raise them.
    ///
    /// A daemon serves all programs of its user, and the one that needs it first starts it.
    static func raiseInherited() -> Bool {
        [RLIMIT_FSIZE, RLIMIT_CPU, RLIMIT_AS, RLIMIT_DATA, __RLIMIT_NPROC].allSatisfy { number in
            let resource = __rlimit_resource_t(number.rawValue)
            var limit = rlimit()
            guard getrlimit(resource, &limit) == 0 else { return false }
            limit.rlim_cur = limit.rlim_max
            return setrlimit(resource, &limit) == 0
        }
    }

    /// The least number of descriptors with which securityd starts: its helpers and stores, and a few dozen
    /// connections.
    package static let leastDescriptors: rlim_t = 256

    /// The number of descriptors that this process may have open, where securityd could serve nobody with them; else
    /// nil.
    package static var tooFewDescriptors: rlim_t? {
        var limit = rlimit()
        let isKnown = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
        let allowed = isKnown ? limit.rlim_cur : 0
        return allowed < leastDescriptors ? allowed : nil
    }

    /// Lowers the limit and never raises it: a lower limit of an administrator stays.
    package func apply() -> Bool {
        let resource = __rlimit_resource_t(resource)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return false }
        limit.rlim_cur = min(value, limit.rlim_max)
        limit.rlim_max = limit.rlim_cur
        return setrlimit(resource, &limit) == 0
    }
}
