/// What each operation on an item needs (behaviour/presence.md).
///
/// This value has one encoding, which is part of the associated data of the item's secret and row key. So no one can
/// remove or exchange it. Format: `Documentation/formats/access-control.md`.
package struct AccessConstraints: Hashable, Sendable {
    /// An operation on a secret or a key. The numbers are stored in files.
    package enum Operation: UInt8, CaseIterable, Sendable {
        case decrypt = 1
        case encrypt = 2
        case delete = 3
        case sign = 4
        /// Diffie–Hellman key agreement.
        case computeSharedSecret = 5
        case decapsulate = 6
    }

    /// What each operation needs; operations that are not listed need ``otherwise``.
    package var operations: [Operation: AccessConstraint] = [:]
    /// What all other operations need; nil if they are refused.
    package var otherwise: AccessConstraint?
    /// Whether the secret is also encrypted under a password of the program.
    package var needsApplicationPassword = false

    package init() {}

    /// What `operation` needs; ``AccessConstraint/never`` if it is neither listed nor covered by ``otherwise``.
    package func constraint(on operation: Operation) -> AccessConstraint {
        operations[operation] ?? otherwise ?? .never
    }

    /// Whether `operation` needs more than the protection class.
    package func constrains(_ operation: Operation) -> Bool {
        constraint(on: operation) != .always || needsApplicationPassword(for: operation)
    }

    /// Whether `operation` needs the program's password: only if it handles the secret itself, which is encrypted under
    /// it.
    package func needsApplicationPassword(for operation: Operation) -> Bool {
        needsApplicationPassword && (operation == .decrypt || operation == .encrypt)
    }

    /// Whether some operation needs a person or the program's password, so that the item never leaves the device.
    package var isConstraining: Bool {
        needsApplicationPassword || (Array(operations.values) + [otherwise ?? .always]).contains { $0 != .always }
    }

    /// Whether a biometric can satisfy the constraint on some operation.
    package var asksForBiometric: Bool {
        operations.values.contains(where: \.asksForBiometric) || otherwise?.asksForBiometric ?? false
    }

    /// The constraints without what was filled in when an item was stored.
    package var unbound: AccessConstraints {
        var unbound = self
        unbound.operations = operations.mapValues(\.unbound)
        unbound.otherwise = otherwise?.unbound
        return unbound
    }
}

extension AccessConstraints: CBORValue {
    private enum Field: UInt64, CBORField {
        case operations = 1
        case otherwise = 2
        case needsApplicationPassword = 3
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.begin(Field.operations)
            $0.writeMap(count: operations.count)
            for (operation, constraint) in operations.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                operation.encode(to: &$0)
                constraint.encode(to: &$0)
            }
            $0.write(Field.otherwise, otherwise)
            if needsApplicationPassword { $0.write(Field.needsApplicationPassword, true) }
        }
    }

    /// Accepts only the one encoding, since the secret and the row key are sealed for it.
    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        try map.find(Field.operations)
        let count = try map.reader.readMapCount(limit: Operation.allCases.count)
        var previous: Operation?
        for _ in 0..<count {
            let operation = try Operation(from: &map.reader)
            if let previous, operation.rawValue <= previous.rawValue { throw .unorderedKeys }
            operations[operation] = try AccessConstraint(from: &map.reader)
            previous = operation
        }
        otherwise = try map.readIfPresent(Field.otherwise)
        if let needsPassword: Bool = try map.readIfPresent(Field.needsApplicationPassword) {
            guard needsPassword else { throw .outOfRange }
            needsApplicationPassword = true
        }
        reader = try map.end()
    }
}

extension AccessConstraints.Operation: CBORValue {}
