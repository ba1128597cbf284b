import CChatelaine
import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import Glibc
import Synchronization

/// Checks that a stream yields the same frames in whatever pieces it arrives, and that sending in pieces changes
/// nothing.
///
/// An input is a limit, a script with a byte for each system call, and the stream.
enum FrameTarget {
    static func run(_ bytes: UnsafeRawBufferPointer) {
        var intake = Intake(bytes)
        let limit = intake.number(below: 128) * 8
        let script = [UInt8](intake.piece())
        let stream = [UInt8](intake.rest())
        for mayContinue in [false, true] {
            receive(stream, limit: limit, mayContinue: mayContinue, from: ScriptedPeer(script, stream))
        }
        send(stream, by: ScriptedPeer(script, []))
    }

    /// Reads the length that a head states, and whether the message continues in another frame.
    private static func head(of rest: ArraySlice<UInt8>, mayContinue: Bool) -> (length: Int, isContinued: Bool)? {
        guard rest.count >= 4 else { return nil }
        let head = rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        let isContinued = mayContinue && head >= 1 << 31
        return (isContinued ? head - (1 << 31) : head, isContinued)
    }

    private static func receive(_ stream: [UInt8], limit: Int, mayContinue: Bool, from peer: ScriptedPeer) {
        let channel = FrameChannel(descriptor: open("/dev/null", O_RDWR | O_CLOEXEC), calls: peer.calls)
        var position = 0
        do {
            while true {
                try channel.withFrame(limit: limit, mayContinue: mayContinue, inspect: { _, _ in }) {
                    content, descriptors in
                    guard let (length, isContinued) = head(of: stream[position...], mayContinue: mayContinue) else {
                        preconditionFailure("a frame out of nothing")
                    }
                    precondition(isContinued == channel.isContinued, "goes on where its head does not say so")
                    precondition(length == content.count && length <= limit, "a frame of another length")
                    precondition(content.elementsEqual(stream[position + 4..<position + 4 + length]), "garbled")
                    precondition(descriptors.count <= Int(CHATELAINE_MAX_DESCRIPTORS), "too many descriptors")
                    if let duplicate = descriptors.duplicate(at: 0) { precondition(duplicate.number >= 0) }
                    if let surplus = descriptors.duplicate(at: descriptors.count) {
                        preconditionFailure("descriptor \(surplus.number) is one too many")
                    }
                    position += 4 + length
                }
            }
        } catch let error as FrameError {
            let head = head(of: stream[position...], mayContinue: mayContinue)
            check(error, head?.length, stream[position...], limit: limit, peer)
        } catch {
            preconditionFailure("an error of another kind: \(error)")
        }
    }

    /// Checks that an error has a cause in the stream or the script.
    private static func check(
        _ error: FrameError, _ length: Int?, _ rest: ArraySlice<UInt8>, limit: Int, _ peer: ScriptedPeer
    ) {
        switch error {
        case .closed:
            let isCut = length.map { $0 <= limit && rest.count - 4 < $0 } ?? true
            precondition(isCut || peer.isFailed, "a whole frame was not delivered")
        case .tooLong(let stated):
            precondition(length == Int(stated) && Int(stated) > limit, "refused for a length that it has not")
        case .unexpected, .timedOut, .refused, .system: precondition(peer.isFailed, "an error out of nothing")
        }
    }

    private static func send(_ content: [UInt8], by peer: ScriptedPeer) {
        let channel = FrameChannel(descriptor: open("/dev/null", O_RDWR | O_CLOEXEC), calls: peer.calls)
        do {
            for _ in 0..<2 { try channel.send { $0.write(content) } }
        } catch {
            return precondition(peer.isFailed && error is FrameError, "sending failed out of nothing")
        }
        var writer = CBORWriter()
        writer.write(content)
        let encoded = writer.finishArray()
        let frame = withUnsafeBytes(of: UInt32(encoded.count).littleEndian) { [UInt8]($0) } + encoded
        precondition(peer.sent == frame + frame, "sent something else")
    }
}

/// System calls that follow a script: each byte of it is a count, or another outcome of the call.
final class ScriptedPeer: Sendable {
    private struct State {
        var script: ArraySlice<UInt8>
        var stream: ArraySlice<UInt8>
        var sent: [UInt8] = []
        var isFailed = false
        /// Limits interruptions: a script of nothing else would block the channel for ever, which no real peer can.
        var interruptions = 0

        mutating func next() -> UInt8 { script.popFirst() ?? 0xFF }

        mutating func interrupted() -> Bool {
            interruptions += 1
            return interruptions < 64
        }
    }

    private let state: Mutex<State>

    init(_ script: [UInt8], _ stream: [UInt8]) { state = Mutex(State(script: script[...], stream: stream[...])) }

    var isFailed: Bool { state.withLock { $0.isFailed } }
    var sent: [UInt8] { state.withLock { $0.sent } }

    var calls: SocketCalls {
        SocketCalls(
            wait: { _, _, _ in (1, 0) },
            receive: { _, buffer, ancillary in self.receive(buffer, &ancillary) },
            send: { _, bytes, _ in self.send(bytes) })
    }

    private func receive(
        _ buffer: UnsafeMutableRawBufferPointer, _ ancillary: inout chatelaine_ancillary
    ) -> (count: Int, error: Int32) {
        state.withLock { state in
            let order = state.next()
            switch order {
            case 0xF0 where state.interrupted(): return (-1, EINTR)
            case 0xF1 where state.interrupted(): return (-1, EAGAIN)
            case 0xF2, 0xF3:
                state.isFailed = true
                return (-1, order == 0xF2 ? ECONNRESET : EIO)
            case 0xF4:
                state.isFailed = true
                ancillary.truncated = 1
            case 0xF5...0xF8:
                // Descriptors in several pieces are too many in total.
                state.isFailed = true
                ancillary.descriptor_count = Int32(order) - 0xF4
                withUnsafeMutableBytes(of: &ancillary.descriptors) { bytes in
                    for index in 0..<Int(ancillary.descriptor_count) {
                        bytes.storeBytes(
                            of: open("/dev/null", O_RDWR | O_CLOEXEC), toByteOffset: 4 * index, as: Int32.self)
                    }
                }
            case 0xF9: ancillary.has_credentials = 1
            case 0xFA: ancillary.pidfd = open("/dev/null", O_RDWR | O_CLOEXEC)
            default: break
            }
            let wanted = order < 0xF0 ? Int(order) + 1 : buffer.count
            let piece = state.stream.prefix(min(wanted, buffer.count))
            buffer.copyBytes(from: piece)
            state.stream = state.stream.dropFirst(piece.count)
            return (piece.count, 0)
        }
    }

    private func send(_ bytes: UnsafeRawBufferPointer) -> (count: Int, error: Int32) {
        state.withLock { state in
            let order = state.next()
            switch order {
            case 0xF0 where state.interrupted(): return (-1, EINTR)
            case 0xF1 where state.interrupted(): return (-1, EAGAIN)
            case 0xF2, 0xF3:
                state.isFailed = true
                return (-1, order == 0xF2 ? EPIPE : EIO)
            default: break
            }
            let piece = bytes.prefix(order < 0xF0 ? Int(order) + 1 : bytes.count)
            state.sent += piece
            return (piece.count, 0)
        }
    }
}
