import ChatelaineMemory
import Testing

@testable import ChatelaineModel

/// Tests of the one encoding of constraints (Documentation/formats/access-control.md).
@Suite struct AccessConstraintsTests {
    private static let samples: [AccessConstraints] = {
        var all: [AccessConstraints] = [AccessConstraints()]
        let leaves: [AccessConstraint] = [
            .always, .never, .userPresence, .devicePasscode, .biometryAny, .biometryCurrentSet(nil),
            .biometryCurrentSet(Bytes16(repeating: 7)), .companion,
        ]
        for constraint in leaves + [.atLeast(1, of: leaves), .atLeast(8, of: leaves), .atLeast(1, of: [.companion])] {
            var constraints = AccessConstraints()
            constraints.operations = [.decrypt: constraint, .encrypt: .always, .delete: .always]
            all.append(constraints)
            constraints.needsApplicationPassword = true
            constraints.otherwise = constraint
            all.append(constraints)
        }
        return all
    }()

    private func encoding(_ constraints: AccessConstraints) -> [UInt8] {
        var writer = CBORWriter()
        constraints.encode(to: &writer)
        return writer.finish().withUnsafeBytes { [UInt8]($0) }
    }

    private func decoded(_ bytes: [UInt8]) throws -> AccessConstraints {
        try bytes.withUnsafeBytes { bytes in
            var reader = CBORReader(bytes)
            let constraints = try AccessConstraints(from: &reader)
            try reader.finish()
            return constraints
        }
    }

    @Test func roundTrip() throws {
        for constraints in Self.samples { #expect(try decoded(encoding(constraints)) == constraints) }
        #expect(Set(Self.samples.map(encoding)).count == Self.samples.count)
    }

    /// Secrets are sealed for these bytes, so the bytes must have only one reading.
    @Test func whatIsReadHasOneEncoding() throws {
        for constraints in Self.samples {
            let bytes = encoding(constraints)
            for index in bytes.indices {
                for change in UInt8(1)...255 {
                    var other = bytes
                    other[index] ^= change
                    guard let read = try? decoded(other) else { continue }
                    #expect(encoding(read) == other && read != constraints)
                }
                #expect(throws: CBORError.self) { try decoded(Array(bytes[..<index])) }
            }
            #expect(throws: CBORError.trailingBytes) { try decoded(bytes + [0]) }
        }
    }

    @Test func combinationsHoldNoCombinations() throws {
        var constraints = AccessConstraints()
        constraints.otherwise = .atLeast(1, of: [.atLeast(1, of: [.userPresence])])
        #expect(throws: CBORError.limitExceeded) { try decoded(encoding(constraints)) }
        for (wanted, count) in [(0, 1), (2, 1), (1, 9), (1, 0)] {
            constraints.otherwise = .atLeast(wanted, of: Array(repeating: .userPresence, count: count))
            #expect(throws: CBORError.self) { try decoded(encoding(constraints)) }
        }
    }

    @Test func whatNothingSpeaksOfIsRefused() {
        var constraints = AccessConstraints()
        constraints.operations = [.sign: .userPresence]
        #expect(constraints.constraint(on: .sign) == .userPresence)
        #expect(constraints.constraint(on: .decrypt) == .never)
        constraints.otherwise = .always
        #expect(constraints.constraint(on: .decrypt) == .always)
        #expect(constraints.constrains(.sign) && !constraints.constrains(.decrypt))
        constraints.needsApplicationPassword = true
        #expect(constraints.constrains(.decrypt))
    }

    @Test func aQueryIgnoresWhatStoringFilledIn() {
        var bound = AccessConstraints()
        bound.operations = [.decrypt: .atLeast(1, of: [.biometryCurrentSet(Bytes16(repeating: 1)), .devicePasscode])]
        var made = bound
        made.operations = [.decrypt: .atLeast(1, of: [.biometryCurrentSet(nil), .devicePasscode])]
        let stored = AccessControl(protection: .whenUnlocked, constraints: bound)
        #expect(stored != AccessControl(protection: .whenUnlocked, constraints: made))
        #expect(bound.unbound == made)
    }
}
