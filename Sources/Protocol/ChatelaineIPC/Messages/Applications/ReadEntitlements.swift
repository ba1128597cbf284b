import ChatelaineModel

/// Asks what the caller's own signature says about the caller (`SecTask`).
///
/// Error: `errSecMissingEntitlement` where the caller has a signature that is not valid.
package struct ReadEntitlements: RequestMessage, Equatable {
    package typealias Reply = OwnEntitlements

    package static let name = "a program's entitlements"
    package static let needs = RequestNeeds.knownCaller

    package init() {}

    package var operation: Operation { .readEntitlements }

    package func encodeFields(to writer: inout CBORWriter) {}

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {}
}

/// What a program's signature says about it; empty for a program that is not signed.
package struct OwnEntitlements: Sendable, Equatable {
    /// The identifier, with the team before it.
    package var identifier: String?
    /// All entitlements, as the JSON object that was signed.
    package var entitlements: [UInt8]

    package init(identifier: String? = nil, entitlements: [UInt8] = []) {
        self.identifier = identifier
        self.entitlements = entitlements
    }
}

extension OwnEntitlements: CBORValue, ReplyBody {
    private enum Field: UInt64, CBORField {
        case identifier = 0
        case entitlements = 1
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.identifier, identifier)
            $0.write(Field.entitlements, entitlements)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        identifier = try map.readIfPresent(Field.identifier)
        entitlements = try map.read(Field.entitlements)
        guard entitlements.count <= SignatureLimits.maximumFileBytes else { throw .limitExceeded }
        reader = try map.end()
    }
}
