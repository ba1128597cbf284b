import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import Sealing
import ServerIPC

/// A request that has announced passcodes: they are let in, passed on to the key custodian unread, and its answer is the reply.
///
/// Until they are here its connection rests, and its place may be given to another one. While the custodian looks at them it
/// works, and holds no turn: other requests of its process go on.
final class PasscodeRequest: UnfinishedRequest {
    private let command: PasscodeCommand
    private let asker: PasscodeAsker
    private let handler: RequestHandler

    init(_ command: PasscodeCommand, _ asker: PasscodeAsker, _ handler: RequestHandler) {
        self.command = command
        self.asker = asker
        self.handler = handler
    }

    func finish(with peer: Peer) throws {
        let (services, slot) = (handler.context.services, handler.context.slot)
        slot.rest()
        let files = try receive(peer.inspect)
        slot.work()
        try peer.recheck()
        let report: DeviceReport
        do throws(KeychainError) {
            report = try DeviceHandler.carryOut(command, for: asker, files.map(\.number), services)
        } catch {
            return try handler.refuse(PasscodeCommand.self, because: error)
        }
        var reply = ReplyStream(to: handler.context.channel)
        try reply.write { ReplyHeader().encode(to: &$0) }
        try reply.write { report.encode(to: &$0) }
        try reply.finish()
    }

    /// What was announced, a frame for each with one descriptor, and nothing else.
    private func receive(_ inspect: @escaping FrameChannel.Inspection) throws -> [File] {
        let channel = handler.context.channel
        channel.setDeadline(seconds: SessionLimits.passcodeSeconds)
        let files = try command.parts.map { part in
            try channel.withFrame(limit: FrameLimits.handshakeBytes, waits: false, inspect: inspect) {
                frame, descriptors in
                guard try PasscodePart(frame: frame) == part, descriptors.count == 1,
                    let file = descriptors.duplicate(at: 0)
                else { throw FrameError.unexpected }
                return File(file)
            }
        }
        guard !channel.hasSurplus else { throw FrameError.unexpected }
        try channel.refuseDescriptors()
        channel.setDeadline(seconds: nil)
        return files
    }

    /// What only one part of an array can own. It is a sealed file in memory, as everything that such a channel lets in, which is closed at once.
    private final class File {
        private let file: Descriptor
        var number: Int32 { file.number }
        init(_ file: consuming Descriptor) { self.file = file }
    }
}

/// Whose passcode it is, and which store's.
struct PasscodeAsker {
    let origin: PasscodeOrigin
    let store: StoreIdentifier
}

extension RequestHandler {
    /// Finds out whether a request with passcodes is to go on, says so, and lets in what it has announced.
    mutating func begin(_ command: PasscodeCommand) throws -> (any UnfinishedRequest)? {
        let slot = context.slot
        return try slot.requests.take(for: slot) {
            switch tried(command, { _, context throws(KeychainError) in try DeviceHandler.asker(&context) }) {
            case .success(let asker):
                context.channel.admitDescriptors()
                var reply = ReplyStream(to: context.channel)
                try reply.write { ReplyHeader().encode(to: &$0) }
                try reply.finish()
                return PasscodeRequest(command, asker, RequestHandler(context.withoutFrame()))
            case .failure(let error):
                try refuse(PasscodeCommand.self, because: error)
                return nil
            }
        }
    }
}
