import AgentProtocol
import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import FetchProtocol
import FormatProtocol
import ServerIPC
import TrustProtocol

@testable import ChatelaineIPC

/// Checks that every message that is read can be written as one that reads the same.
///
/// Where a message has only one encoding, writing must give the bytes that were read.
enum MessageTarget {
    static func run(_ bytes: UnsafeRawBufferPointer) {
        var intake = Intake(bytes)
        let kind = intake.byte()
        let message = intake.rest()
        switch kind {
        case 0: checkRequest(message)
        case 1: checkReply(message)
        case 2:
            check(message, isCanonical: true) {
                let reader = try EnclaveRequestReader($0)
                return (id: reader.id, request: try reader.readAny())
            } encode: {
                $0.request.encode(id: $0.id, to: &$1)
            }
        case 3:
            check(message, isCanonical: true) {
                try EnclaveAnswer(decoding: $0)
            } encode: {
                $0.encode(to: &$1)
            }
        case 4: checkHandshake(message)
        case 5:
            checkValue(message) {
                try ApplicationDecision(from: &$0)
            } encode: {
                $0.encode(to: &$1)
            }
        case 6:
            checkValue(message) {
                try SnapshotRecord(from: &$0)
            } encode: {
                $0.encode(to: &$1)
            }
        case 7:
            checkValue(message) {
                try CheckStep(from: &$0)
            } encode: {
                $0.encode(to: &$1)
            }
        case 8:
            checkValue(message) {
                try DaemonReport(from: &$0)
            } encode: {
                $0.encode(to: &$1)
            }
        case 10: checkAttributes(message)
        case 26:
            checkValue(message) {
                try ApplicationDescription(from: &$0)
            } encode: {
                $0.encode(to: &$1)
            }
        case 23:
            checkValue(message) {
                try TeamDescription(from: &$0)
            } encode: {
                $0.encode(to: &$1)
            }
        case 24:
            checkValue(message) {
                try KeychainPasswordReport(from: &$0)
            } encode: {
                $0.encode(to: &$1)
            }
        case 25:
            checkValue(message) {
                try KeychainState(from: &$0)
            } encode: {
                $0.encode(to: &$1)
            }
        case 32:
            checkValue(message) {
                try KeychainSettings(from: &$0)
            } encode: {
                $0.encode(to: &$1)
            }
        case 30:
            checkValue(message) {
                try KeychainPlaces(from: &$0)
            } encode: {
                $0.encode(to: &$1)
            }
        case 31:
            checkValue(message) {
                try KeychainItem(from: &$0)
            } encode: {
                $0.encode(to: &$1)
            }
        case 11:
            checkValue(message) {
                try LossSummary(from: &$0)
            } encode: {
                $0.encode(to: &$1)
            }
        case 12:
            checkValue(message) {
                try ChangeNotification(from: &$0)
            } encode: {
                $0.encode(to: &$1)
            }
        case 13:
            checkValue(message) {
                try DeviceReport(from: &$0)
            } encode: {
                $0.encode(to: &$1)
            }
        case 14:
            check(message, isCanonical: true) {
                try PasscodePart(frame: $0)
            } encode: {
                $0.encodeFrame(to: &$1)
            }
        case 15:
            checkValue(message) {
                try DeviceSettings(from: &$0)
            } encode: {
                $0.encode(to: &$1)
            }
        case 16:
            check(message, isCanonical: true) {
                try Dialog(frame: $0)
            } encode: {
                $0.encode(to: &$1)
            }
        case 17:
            check(message, isCanonical: true) {
                try DialogReply(frame: $0)
            } encode: {
                $0.encodeFrame(to: &$1)
            }
        case 18:
            check(message, isCanonical: true) {
                try MatcherOrder(frame: $0)
            } encode: {
                $0.encode(to: &$1)
            }
        case 19:
            check(message, isCanonical: true) {
                try MatcherReport(frame: $0)
            } encode: {
                $0.encode(to: &$1)
            }
        case 33:
            check(message, isCanonical: true) {
                try KeyWorkerRequest(frame: $0)
            } encode: {
                $0.encode(to: &$1)
            }
        case 34:
            check(message, isCanonical: true) {
                try KeyWorkerReply(frame: $0)
            } encode: {
                $0.encode(to: &$1)
            }
        case 35:
            check(message, isCanonical: true) {
                try ForkOrder(frame: $0)
            } encode: {
                $0.encode(to: &$1)
            }
        case 20:
            check(message, isCanonical: true) {
                try TrustRequest(frame: $0)
            } encode: {
                $0.encode(to: &$1)
            }
        case 21:
            check(message, isCanonical: true) {
                try TrustReply(frame: $0)
            } encode: {
                $0.encode(to: &$1)
            }
        case 36:
            check(message, isCanonical: true) {
                try FormatRequest(frame: $0)
            } encode: {
                $0.encode(to: &$1)
            }
        case 37:
            check(message, isCanonical: true) {
                try FormatReply(frame: $0)
            } encode: {
                $0.encode(to: &$1)
            }
        case 38:
            check(message, isCanonical: true) {
                try FetchRequest(frame: $0)
            } encode: {
                $0.encode(to: &$1)
            }
        case 39:
            check(message, isCanonical: true) {
                try FetchReply(frame: $0)
            } encode: {
                $0.encode(to: &$1)
            }
        case 9:
            checkValue(message) {
                try KeychainEvent(from: &$0)
            } encode: {
                $0.encode(to: &$1)
            }
        default: checkRequest(bytes)
        }
    }

    private static func check<Message>(
        _ bytes: UnsafeRawBufferPointer, isCanonical: Bool, decode: (UnsafeRawBufferPointer) throws -> Message,
        encode: (Message, inout CBORWriter) -> Void
    ) {
        let message: Message
        do { message = try decode(bytes) } catch {
            return precondition(error is CBORError, "an error of another kind: \(error)")
        }
        var first = CBORWriter(capacity: 16)
        encode(message, &first)
        let encoded = first.finishArray()
        if isCanonical { precondition(encoded.elementsEqual(bytes), "a message with two encodings") }
        encoded.withUnsafeBytes { encoded in
            var second = CBORWriter(capacity: 16)
            do { encode(try decode(encoded), &second) } catch { preconditionFailure("written, then refused: \(error)") }
            second.withUnsafeBytes { precondition($0.elementsEqual(encoded), "reads as another message") }
        }
    }

    private static func checkValue<Value>(
        _ bytes: UnsafeRawBufferPointer, decode: (inout CBORReader) throws -> Value,
        encode: (Value, inout CBORWriter) -> Void
    ) {
        check(
            bytes, isCanonical: false,
            decode: { bytes in
                var reader = CBORReader(bytes)
                let value = try decode(&reader)
                try reader.finish()
                return value
            }, encode: encode)
    }

    private static func checkRequest(_ bytes: UnsafeRawBufferPointer) {
        check(bytes, isCanonical: false) {
            try RequestReader($0).readAny()
        } encode: {
            $0.encode(to: &$1)
        }
        switch try? RequestReader(bytes).readAny() {
        case let request as FindItems: try? request.query.validate(for: .find)
        case let request as AddItem: try? request.item.validate()
        case let request as DeleteItems: try? request.query.validate(for: .delete)
        case let request as UpdateItems:
            try? request.query.validate(for: .update)
            try? request.change.validate(for: request.query.itemClass)
        default: break
        }
    }

    /// Checks the header and items of a reply as a client reads them, and the results that it makes of them.
    private static func checkReply(_ bytes: UnsafeRawBufferPointer) {
        var items: [FoundItem] = []
        var reader = CBORReader(bytes)
        do throws(CBORError) {
            _ = try ReplyHeader(from: &reader)
            while !reader.isAtEnd { items.append(try FoundItem(from: &reader)) }
        } catch {
            // The items before the error still make a result.
        }
        var query = ItemQuery(itemClass: .genericPassword)
        query.limit = .all
        for types: UInt8 in 0..<16 {
            query.returns = ReturnTypes(rawValue: types)
            _ = ResultTree.shape(items, for: query)
        }
        for item in items {
            var writer = CBORWriter()
            item.encode(to: &writer)
            let encoded = writer.finishArray()
            encoded.withUnsafeBytes {
                checkValue($0) {
                    try FoundItem(from: &$0)
                } encode: {
                    $0.encode(to: &$1)
                }
            }
        }
    }

    private static func checkHandshake(_ bytes: UnsafeRawBufferPointer) {
        var reader = CBORReader(bytes)
        _ = try? Handshake.readHello(&reader)
        reader = CBORReader(bytes)
        _ = try? Handshake.readChallenge(&reader)
        check(bytes, isCanonical: true) { bytes in
            var reader = CBORReader(bytes)
            return try Handshake.readNonce(&reader)
        } encode: {
            Handshake.encodeNonce($0, to: &$1)
        }
    }

    /// Checks that encoded attributes are accepted exactly where their values are.
    private static func checkAttributes(_ bytes: UnsafeRawBufferPointer) {
        check(bytes, isCanonical: true) { bytes in
            var reader = CBORReader(bytes)
            let attributes = try AttributeSet(from: &reader)
            try reader.finish()
            return attributes
        } encode: {
            $0.encode(to: &$1)
        }
        var plain = CBORReader(bytes)
        var lent = CBORReader(bytes)
        let attributes = try? AttributeSet(from: &plain)
        let encoded = try? EncodedAttributes(from: &lent)
        precondition((attributes == nil) == (encoded == nil), "refused as values or as an encoding only")
        guard let encoded else { return }
        precondition(plain.offset == lent.offset, "attributes end at two places")
        precondition((try? encoded.decoded()) != nil, "attributes were kept that cannot be read")
    }
}
