import ChatelaineModel
import Testing

/// Tests of flags against the tables of behaviour/access-control.md, in every combination.
@Suite struct AccessControlFlagsTests {
    /// A combination of flags, one property for each flag.
    struct Combination {
        let bits: UInt
        let presence, anyBiometric, currentBiometrics, passcode, companion, or, and, privateKey, password: Bool

        /// - Parameter index: a bit for each flag, from 0 to 511.
        init(_ index: Int) {
            let values: [UInt] = [1, 2, 8, 16, 32, 16384, 32768, 1_073_741_824, 2_147_483_648]
            let isSet = values.indices.map { index & 1 << $0 != 0 }
            bits = zip(values, isSet).reduce(0) { $1.1 ? $0 + $1.0 : $0 }
            (presence, anyBiometric, currentBiometrics, passcode) = (isSet[0], isSet[1], isSet[2], isSet[3])
            (companion, or, and, privateKey, password) = (isSet[4], isSet[5], isSet[6], isSet[7], isSet[8])
        }

        /// Whether the table allows the combination.
        var isAllowed: Bool {
            if or && and { return false }
            if anyBiometric && currentBiometrics { return false }
            if presence && (anyBiometric || currentBiometrics || passcode || companion) { return false }
            return true
        }

        var parts: [AccessConstraint] {
            var parts: [AccessConstraint] = []
            if presence { parts.append(.userPresence) }
            if anyBiometric { parts.append(.biometryAny) }
            if currentBiometrics { parts.append(.biometryCurrentSet(nil)) }
            if passcode { parts.append(.devicePasscode) }
            if companion { parts.append(.companion) }
            return parts
        }
    }

    private static let all = (0..<512).map(Combination.init)

    @Test func everyCombinationIsRefusedOrNot() {
        for combination in Self.all {
            let made = Result { () throws(KeychainError) in
                try AccessConstraints(AccessControlFlags(rawValue: combination.bits))
            }
            switch made {
            case .success: #expect(combination.isAllowed, "\(combination)")
            case .failure(let error): #expect(!combination.isAllowed && error.status == .param, "\(combination)")
            }
        }
        // Of 32 sets of constraints, 13 are allowed: presence or none alone, and 2 · 2 · 3 others, less the empty one.
        #expect(Self.all.filter(\.isAllowed).count == 13 * 3 * 4)
    }

    @Test func everyCombinationHasItsOperations() throws {
        for combination in Self.all where combination.isAllowed {
            let made = try AccessConstraints(AccessControlFlags(rawValue: combination.bits))
            let parts = combination.parts
            let needed: AccessConstraint =
                parts.isEmpty
                ? .always
                : parts.count == 1 ? parts[0] : .atLeast(combination.or ? 1 : parts.count, of: parts)
            var expected = AccessConstraints()
            expected.needsApplicationPassword = combination.password
            if combination.privateKey {
                for operation in [AccessConstraints.Operation.sign, .computeSharedSecret, .decapsulate] {
                    expected.operations[operation] = needed
                }
                expected.operations[.delete] = .always
                #expect(made.constraint(on: .decrypt) == .never && made.constraint(on: .encrypt) == .never)
            } else if parts.isEmpty {
                expected.otherwise = .always
                for operation in AccessConstraints.Operation.allCases {
                    #expect(made.constraint(on: operation) == .always)
                }
            } else {
                expected.operations = [.decrypt: needed, .encrypt: .always, .delete: .always]
                #expect(made.constraint(on: .sign) == .never)
            }
            #expect(made == expected && made == made.unbound, "\(combination)")
            #expect(made.isConstraining == (!parts.isEmpty || combination.password), "\(combination)")
        }
    }

    @Test func flagsAreToldFromConstraints() throws {
        for combination in Self.all where combination.isAllowed {
            let made = try AccessConstraints(AccessControlFlags(rawValue: combination.bits))
            let flags = try #require(AccessControlFlags(of: made))
            // A flag that combines several constraints means nothing without them.
            #expect(try AccessConstraints(flags) == made, "\(combination)")
            #expect(
                flags.symmetricDifference(AccessControlFlags(rawValue: combination.bits)).isSubset(of: [.or, .and]),
                "\(combination)")
        }
        var bound = try AccessConstraints([.biometryCurrentSet, .devicePasscode, .or])
        bound.operations[.decrypt] = .atLeast(
            1, of: [.biometryCurrentSet(Bytes16(repeating: 9)), .devicePasscode])
        #expect(AccessControlFlags(of: bound) == [.biometryCurrentSet, .devicePasscode, .or])
        bound.operations[.decrypt] = .never
        #expect(AccessControlFlags(of: bound) == nil)
    }

    @Test func unknownFlagsAreRefused() {
        let known = AccessControlFlags.names.reduce(into: AccessControlFlags()) { $0.formUnion($1.flag) }
        for bit in 0..<UInt.bitWidth {
            let flag = AccessControlFlags(rawValue: 1 << UInt(bit))
            guard known.isDisjoint(with: flag) else { continue }
            for others in [[], [.userPresence], [.devicePasscode, .or]] as [AccessControlFlags] {
                #expect(throws: KeychainError(.param, "")) { try AccessConstraints(others.union(flag)) }
            }
        }
    }

    @Test func wordsAreApples() {
        #expect(
            AccessControlFlags([.userPresence, .applicationPassword]).words == ["userPresence", "applicationPassword"])
        #expect(AccessControlFlags().words.isEmpty)
        #expect(AccessControlFlags.names.map(\.flag.rawValue) == [1, 2, 8, 16, 32, 16384, 32768, 1 << 30, 1 << 31])
    }
}
