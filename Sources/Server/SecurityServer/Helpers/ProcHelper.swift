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

    /// The first message of the helper: whether its sandbox is complete; nil where it has ended.
    func greeting() -> Bool? { channel.receive().map { $0.number == 1 } }

    /// Sends a question to the helper.
    func ask(_ entry: ProcEntry, in folder: Int32) -> HelperChannel.Delivery {
        channel.send(Int32(entry.rawValue), descriptors: [folder])
    }

    func hasAnswered(milliseconds: Int32) -> Bool { channel.hasNews(milliseconds: milliseconds) }

    /// The answer of the helper; nil where it is gone.
    func answer() -> OpenedEntry? {
        guard let answer = channel.receive() else { return nil }
        guard answer.number == 0 else {
            for number in answer.descriptors { close(number) }
            // The number is positive from the helper and negative from the channel.
            return OpenedEntry(error: abs(answer.number))
        }
        return OpenedEntry(descriptors: answer.descriptors)
    }
}
