import ChatelaineMemory
import ChatelaineModel
import FormatProtocol
import SystemCalls

/// Reads and writes files of keys and certificates, each by a process of its own.
///
/// A call may wait for seconds while it holds the turn of the caller's program. Only other requests of that program
/// wait meanwhile. One place is kept for programs that have none.
package final class FormatWorkers: Sendable {
    /// Seconds that a process may take: twice the time of the slowest admitted file.
    static let seconds = 20
    /// Milliseconds that a question waits for those before it.
    static let patience = 30_000

    private let starter: any WorkerStarting
    private let seconds: Int
    private let patience: Int
    private let places = Budget(bytes: ProcessStarter.mostFormats, largest: 1)

    init(_ starter: any WorkerStarting, seconds: Int = seconds, patience: Int = patience) {
        self.starter = starter
        self.seconds = seconds
        self.patience = patience
    }

    /// Reads a file.
    ///
    /// - Throws: the statuses of ``FormatFailure``, `errSecNotAvailable` where no process is to be had in time,
    ///   `errSecDecode` where there was no answer.
    func read(_ file: ExternalFile, for slot: ConnectionSlot) throws(KeychainError) -> ExternalContent {
        switch try ask(.read(file), slot) {
        case .content(let content): return content
        case .failure(let failure): throw failure.error
        case .file, .message: throw Self.confused
        }
    }

    /// Writes a file.
    ///
    /// - Throws: the errors of reading.
    func write(_ order: ExternalOrder, for slot: ConnectionSlot) throws(KeychainError) -> SecretBytes {
        switch try ask(.write(order), slot) {
        case .file(let bytes): return bytes
        case .failure(let failure): throw failure.error
        case .content, .message: throw Self.confused
        }
    }

    /// Reads a CMS message; throws the errors of reading a file.
    func read(_ message: CMSMessage, for slot: ConnectionSlot) throws(KeychainError) -> CMSContent {
        switch try ask(.readMessage(message), slot) {
        case .message(let content): return content
        case .failure(let failure): throw failure.error
        case .file, .content: throw Self.confused
        }
    }

    /// Writes a CMS message, or the bytes that have to be signed for it; throws the errors of reading a file.
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
        let process: WorkerProcess
        do throws(KeychainError) { process = try WorkerProcess(starter) } catch {
            places.give(back: place)
            throw error
        }
        let reply = process.ask(within: seconds, limit: FormatWire.maximumReplyBytes) {
            request.encode(to: &$0)
        } read: {
            try FormatReply(frame: $0)
        }
        // The cleanup runs on another thread, so that the caller does not wait for it.
        let settle: @Sendable () -> Void = { [places] in
            process.end()
            places.give(back: place)
        }
        if !Worker.start(settle) { settle() }
        guard let reply else {
            // The process trapped over the file, or took too long.
            throw KeychainError(
                .decode, "formatd gave no answer within \(seconds) seconds: the data are no file that can be read")
        }
        return reply
    }
}
