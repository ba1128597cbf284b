import CChatelaine
import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import FormatProtocol
import Glibc

/// Has files of keys and certificates read and written, each by a process of its own.
///
/// Whoever calls it may wait for seconds, with the turn of the caller's program: its other requests wait meanwhile, and nobody else's. One place is left to
/// programs that have none.
package final class FormatWorkers: Sendable {
    /// How long one may take: twice the slowest file that is admitted.
    static let seconds = 20
    /// How long a question waits for those before it, in milliseconds.
    static let patience = 30_000

    private let starter: any ProcessStarting
    private let seconds: Int
    private let patience: Int
    private let places = Budget(bytes: ProcessStarter.mostFormats, largest: 1)

    init(_ starter: any ProcessStarting, seconds: Int = seconds, patience: Int = patience) {
        self.starter = starter
        self.seconds = seconds
        self.patience = patience
    }

    /// - Throws: the statuses of ``FormatFailure``; `errSecNotAvailable` where nobody could look; `errSecDecode` where there was no answer.
    func read(_ file: ExternalFile, for slot: ConnectionSlot) throws(KeychainError) -> ExternalContent {
        switch try ask(.read(file), slot) {
        case .content(let content): return content
        case .failure(let failure): throw failure.error
        case .file, .message: throw Self.confused
        }
    }

    /// - Throws: the same.
    func write(_ order: ExternalOrder, for slot: ConnectionSlot) throws(KeychainError) -> SecretBytes {
        switch try ask(.write(order), slot) {
        case .file(let bytes): return bytes
        case .failure(let failure): throw failure.error
        case .content, .message: throw Self.confused
        }
    }

    /// What is in a message of CMS; throws the same.
    func read(_ message: CMSMessage, for slot: ConnectionSlot) throws(KeychainError) -> CMSContent {
        switch try ask(.readMessage(message), slot) {
        case .message(let content): return content
        case .failure(let failure): throw failure.error
        case .file, .content: throw Self.confused
        }
    }

    /// A message of CMS, or what has to be signed for it; throws the same.
    func write(_ order: CMSOrder, for slot: ConnectionSlot) throws(KeychainError) -> SecretBytes {
        switch try ask(.writeMessage(order), slot) {
        case .file(let bytes): return bytes
        case .failure(let failure): throw failure.error
        case .content, .message: throw Self.confused
        }
    }

    private static var confused: KeychainError {
        KeychainError(.internalComponent, "formatd answers what it was not asked")
    }

    private func ask(_ request: FormatRequest, _ slot: ConnectionSlot) throws(KeychainError) -> FormatReply {
        let place = try places.take(1, for: slot, milliseconds: patience)
        defer { places.give(back: place) }
        var pair: [Int32] = [-1, -1]
        guard chatelaine_unix_socketpair(&pair) == 0 else { throw KeychainError(system: errno, "a socket pair") }
        let channel = FrameChannel(descriptor: pair[0])
        let theirs = Descriptor(pair[1])
        let pid = try starter.start(channel: theirs.number)
        defer { starter.end(pid) }
        // Were it open here as well, the channel would not tell that the process is gone.
        Self.close(theirs)
        channel.setDeadline(seconds: seconds)
        do {
            try channel.send { request.encode(to: &$0) }
            return try channel.withFrame(limit: FormatWire.maximumReplyBytes) { frame, descriptors in
                guard descriptors.count == 0 else { throw FrameError.unexpected }
                return try FormatReply(frame: frame)
            }
        } catch {
            // It trapped over the file, or took too long.
            throw KeychainError(
                .decode, "formatd gave no answer within \(seconds) seconds: the data are no file that can be read")
        }
    }

    private static func close(_ descriptor: consuming Descriptor) {}
}
