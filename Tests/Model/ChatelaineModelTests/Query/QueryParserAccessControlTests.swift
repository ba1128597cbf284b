import ChatelaineModel
import Testing

/// Tests of access controls in dictionaries (behaviour/access-control.md, 15 to 22).
@Suite struct QueryParserAccessControlTests {
    private typealias Pair = (key: String, value: QueryValue)

    private static let searches: [SearchOperation] = [.find, .update, .delete]
    private static let presence = control([.userPresence])
    private static let free = control([])

    private static func control(
        _ flags: AccessControlFlags, _ protection: Accessibility = .whenUnlocked
    ) -> AccessControl {
        AccessControl(protection: protection, constraints: try? AccessConstraints(flags))
    }

    private func pairs(_ control: AccessControl, _ others: [String: QueryValue] = [:]) -> [Pair] {
        [("class", .text("genp")), ("accc", .accessControl(control))] + others.map { ($0.key, $0.value) }
    }

    private func refused(_ body: () throws -> Void) {
        #expect(throws: KeychainError(.param, "")) { try body() }
    }

    @Test func anObjectThatWasMadeAgreesWithNoClass() throws {
        for control in [Self.presence, Self.free] {
            for protection in Accessibility.allCases {
                let both = pairs(control, ["pdmn": .text(protection.name)])
                for operation in Self.searches { refused { _ = try QueryParser.query(both, for: operation) } }
                refused { _ = try QueryParser.newItem(both) }
                refused { _ = try QueryParser.change(Array(both.dropFirst()), of: .genericPassword) }
            }
        }
    }

    @Test func aReturnedObjectOfAClassAgreesWithIt() throws {
        let returned = AccessControl(protection: .afterFirstUnlock)
        let both = pairs(returned, ["pdmn": .text("ck")])
        for operation in Self.searches {
            let query = try QueryParser.query(both, for: operation)
            #expect(query.accessibility == .afterFirstUnlock && query.constraints == .unconstrained)
        }
        let item = try QueryParser.newItem(both)
        #expect(item.accessibility == .afterFirstUnlock && item.constraints == nil)
        let change = try QueryParser.change(Array(both.dropFirst()), of: .genericPassword)
        #expect(change.accessibility == .afterFirstUnlock && change.constraints == nil)
        refused { _ = try QueryParser.newItem(pairs(returned, ["pdmn": .text("ak")])) }
    }

    /// A returned dictionary has the class beside the object, and is a query and an addition.
    @Test func aReturnedObjectWithConstraintsAgreesWithItsClass() throws {
        for made in [Self.presence, Self.free] {
            let constraints = try #require(made.constraints)
            let found = FoundItem(
                identifier: ItemIdentifier(), itemClass: .genericPassword, accessibility: .whenUnlocked,
                isSynchronizable: false, attributes: nil, secret: nil, constraints: constraints)
            let returned = found.accessControl
            #expect(returned == made && returned.hashValue == made.hashValue)
            let both = pairs(returned, ["pdmn": .text("ak")])
            for operation in Self.searches {
                let query = try QueryParser.query(both, for: operation)
                #expect(query.accessibility == .whenUnlocked && query.constraints == .exactly(constraints))
            }
            #expect(try QueryParser.newItem(both).constraints == constraints)
            let change = try QueryParser.change(Array(both.dropFirst()), of: .genericPassword)
            #expect(change.accessibility == .whenUnlocked && change.constraints == constraints)
            refused { _ = try QueryParser.newItem(pairs(returned, ["pdmn": .text("ck")])) }
        }
    }

    @Test func constraintsComeWithTheirClass() throws {
        for control in [Self.presence, Self.free, Self.control([.biometryCurrentSet], .always)] {
            let constraints = try #require(control.constraints)
            for operation in Self.searches {
                let query = try QueryParser.query(pairs(control), for: operation)
                #expect(query.accessibility == control.protection && query.constraints == .exactly(constraints))
            }
            let item = try QueryParser.newItem(pairs(control))
            #expect(item.accessibility == control.protection && item.constraints == constraints)
            let change = try QueryParser.change(Array(pairs(control).dropFirst()), of: .genericPassword)
            #expect(change.accessibility == control.protection && change.constraints == constraints)
        }
        let plain = try QueryParser.query([("class", .text("genp")), ("pdmn", .text("ak"))], for: .find)
        #expect(plain.constraints == .any && plain.accessibility == .whenUnlocked)
        let change = try QueryParser.change([("pdmn", .text("ak"))], of: .genericPassword)
        #expect(change.accessibility == .whenUnlocked && change.constraints == nil)
    }

    @Test func whatBindingFilledInDoesNotCount() throws {
        var bound = AccessConstraints()
        bound.operations[.decrypt] = .biometryCurrentSet(Bytes16(repeating: 7))
        let control = AccessControl(protection: .whenUnlocked, constraints: bound)
        #expect(try QueryParser.query(pairs(control), for: .find).constraints == .exactly(bound.unbound))
        #expect(try QueryParser.newItem(pairs(control)).constraints == bound.unbound)
        #expect(
            try QueryParser.change(Array(pairs(control).dropFirst()), of: .genericPassword).constraints == bound.unbound
        )
        #expect(ConstraintScope.exactly(bound.unbound).admits(bound))
        #expect(!ConstraintScope.exactly(bound.unbound).admits(nil) && !ConstraintScope.unconstrained.admits(bound))
        #expect(ConstraintScope.any.admits(bound) && ConstraintScope.any.admits(nil))
        #expect(ConstraintScope.unconstrained.admits(nil))
    }

    @Test func constraintsAreOfThisDevice() throws {
        let flags: [(AccessControlFlags, isConstraining: Bool)] = [
            ([.userPresence], true), ([.devicePasscode], true), ([.biometryAny], true), ([.biometryCurrentSet], true),
            ([.companion], true), ([.applicationPassword], true), ([.privateKeyUsage, .userPresence], true),
            ([], false), ([.or], false), ([.privateKeyUsage], false),
        ]
        for (flags, isConstraining) in flags {
            let control = Self.control(flags)
            let synchronizable = pairs(control, ["sync": .number(1)])
            let item = Result { () throws(KeychainError) in try QueryParser.newItem(synchronizable) }
            #expect(item.status == (isConstraining ? .param : .success), "\(flags.words)")
            let change = Result { () throws(KeychainError) in
                try QueryParser.change(Array(synchronizable.dropFirst()), of: .genericPassword)
            }
            #expect(change.status == (isConstraining ? .param : .success), "\(flags.words)")
            #expect(throws: Never.self) { try QueryParser.newItem(pairs(control, ["sync": .number(0)])) }
            #expect(throws: Never.self) { try QueryParser.query(synchronizable, for: .find) }
        }
    }

    @Test func anythingElseIsRefusedEverywhere() {
        for value: QueryValue in [.text("ak"), .data([1]), .number(1), .other, .array([]), .null] {
            let wrong: [Pair] = [("class", .text("genp")), ("accc", value)]
            for operation in Self.searches { refused { _ = try QueryParser.query(wrong, for: operation) } }
            refused { _ = try QueryParser.newItem(wrong) }
            refused { _ = try QueryParser.change([("accc", value)], of: .genericPassword) }
        }
    }

    @Test func whoeverSendsThemHoldsToTheRules() {
        var item = NewItem(itemClass: .genericPassword)
        item.constraints = Self.presence.constraints
        refused { try item.validate() }
        item.accessibility = .whenUnlocked
        #expect(throws: Never.self) { try item.validate() }
        item.isSynchronizable = true
        refused { try item.validate() }
        var change = ItemChange()
        change.constraints = Self.presence.constraints
        refused { try change.validate(for: .genericPassword) }
        change.accessibility = .whenUnlocked
        #expect(throws: Never.self) { try change.validate(for: .genericPassword) }
        change.isSynchronizable = true
        refused { try change.validate(for: .genericPassword) }
        var query = ItemQuery(itemClass: .genericPassword)
        for scope in [.unconstrained, .exactly(Samples.constraints)] as [ConstraintScope] {
            query.constraints = scope
            query.accessibility = nil
            for operation in Self.searches { refused { try query.validate(for: operation) } }
            query.accessibility = .whenUnlocked
            for operation in Self.searches { #expect(throws: Never.self) { try query.validate(for: operation) } }
        }
    }

    @Test func resultsCarryTheObject() {
        for control in [Self.presence, Self.free, AccessControl(protection: .always)] {
            var found = Samples.found
            (found.accessibility, found.constraints) = (control.protection, control.constraints)
            var query = ItemQuery(itemClass: .genericPassword)
            query.returns = .attributes
            guard case .dictionary(let pairs)? = ResultTree.shape([found], for: query),
                case .accessControl(let carried)? = pairs.first(where: { $0.key == "accc" })?.value
            else { return #expect(Bool(false), "a dictionary with an access control") }
            #expect(carried == control)
        }
    }
}
