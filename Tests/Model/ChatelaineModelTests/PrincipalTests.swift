import Testing

@testable import ChatelaineModel

/// Tests of the bytes that stand for a caller.
@Suite struct PrincipalTests {
    /// The bytes are digested to name a caller, so two callers must never have the same.
    @Test func bytesAreOfOnePrincipalOnly() {
        let principals = [
            Principal(user: 1000, application: "path:/usr/bin/a"),
            Principal(user: 1001, application: "path:/usr/bin/a"),
            Principal(user: 1000, application: "path:/usr/bin/b"),
            Principal(user: 100, application: "0path:/usr/bin/a"),
            Principal(user: 0, application: ""),
        ]
        #expect(Set(principals.map(\.encoded)).count == principals.count)
        #expect(
            Principal(user: 1000, application: "dev:/a").encoded == [0x82, 0x19, 0x03, 0xE8, 0x66]
                + Array("dev:/a".utf8))
    }
}
