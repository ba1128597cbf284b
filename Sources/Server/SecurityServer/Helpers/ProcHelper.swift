import CallerIdentity
import ChatelaineIPC
import Glibc

/// A process that looks at callers, one at a time.
final class ProcHelper: Sendable {
    let pid: pid_t
    private let channel: HelperChannel

    init(pid: pid_t, channel: consuming HelperChannel) {
        self.pid = pid
        self.channel = channel
    }

    /// What it says at its start: whether its sandbox is complete; nil where it has ended.
    func greeting() -> Bool? { channel.receive().map { $0.number == 1 } }

    /// Sends it off; false where it is gone.
    func ask(_ entry: ProcEntry, in folder: Int32) -> HelperChannel.Delivery {
        channel.send(Int32(entry.rawValue), descriptors: [folder])
    }

    func hasAnswered(milliseconds: Int32) -> Bool { channel.hasNews(milliseconds: milliseconds) }

    /// What it saw; nil where it is gone.
    func answer() -> OpenedEntry? {
        guard let answer = channel.receive() else { return nil }
        guard answer.number == 0 else {
            for number in answer.descriptors { close(number) }
            // Positive from the helper, negative from the way to it.
            return OpenedEntry(error: abs(answer.number))
        }
        return OpenedEntry(descriptors: answer.descriptors)
    }
}
