/// What may be done with an item, operation by operation (behaviour/presence.md).
///
/// Its one encoding is part of what the item's secret and row key are sealed for, so that nobody takes it away or exchanges it.
/// Format: `Documentation/formats/access-control.md`.
package struct AccessConstraints: Hashable, Sendable {
    /// What is done with a secret or a key. The numbers are in files.
    package enum Operation: UInt8, CaseIterable, Sendable {
        case decrypt = 1
        case encrypt = 2
        case delete = 3
        case sign = 4
        /// Diffie and Hellman's agreement.
        case computeSharedSecret = 5
        case decapsulate = 6
    }

    /// What each operation needs; operations that are not here need ``otherwise``.
    package var operations: [Operation: AccessConstraint] = [:]
    /// What all other operations need; nil where they are refused.
    package var otherwise: AccessConstraint?
    /// Whether the secret is encrypted under a password of the program's, too.
    package var needsApplicationPassword = false

    package init() {}

    /// What `operation` needs; ``AccessConstraint/never`` where nothing speaks of it.
    package func constraint(on operation: Operation) -> AccessConstraint {
        operations[operation] ?? otherwise ?? .never
    }

    /// Whether anything but the protection class stands before `operation`.
    package func constrains(_ operation: Operation) -> Bool {
        constraint(on: operation) != .always || needsApplicationPassword(for: operation)
    }

    /// Whether the program's password is needed: only where the secret itself is handled, which is encrypted under it.
    package func needsApplicationPassword(for operation: Operation) -> Bool {
        needsApplicationPassword && (operation == .decrypt || operation == .encrypt)
    }

    /// Whether some operation needs a person or the program's password, so that the item never leaves the device.
    package var isConstraining: Bool {
        needsApplicationPassword || (Array(operations.values) + [otherwise ?? .always]).contains { $0 != .always }
    }

    /// Without what was filled in when an item was stored.
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

    /// Accepts the one encoding and nothing else, since others are sealed for that.
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
