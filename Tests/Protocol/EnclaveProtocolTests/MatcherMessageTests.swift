import ChatelaineModel
import EnclaveProtocol
import Testing

/// Tests of the messages between the custodian and securityd-match.
@Suite struct MatcherMessageTests {
    private static let enrolment = FingerEnrolment(device: "Reader ä", fingers: ["right-thumb", "left-thumb"])
    private static let reports = [
        MatcherReport(.enrolment, 0), MatcherReport(.enrolment, .max, enrolment),
        MatcherReport(.enrolment, 1, FingerEnrolment(device: "x", fingers: [])),
        MatcherReport(.matched, 1 << 40, enrolment),
        MatcherReport(.notMatched, 5), MatcherReport(.failed, 6),
    ]

    private func bytes(_ value: some CBORValue) -> [UInt8] {
        var writer = CBORWriter()
        value.encode(to: &writer)
        return writer.finishArray()
    }

    private func report(_ bytes: [UInt8]) throws -> MatcherReport {
        try bytes.withUnsafeBytes { try MatcherReport(frame: $0) }
    }

    private func order(_ bytes: [UInt8]) throws -> MatcherOrder {
        try bytes.withUnsafeBytes { try MatcherOrder(frame: $0) }
    }

    /// The numbers are used on the wire and in `enclave-protocol.md`.
    @Test func numbers() {
        #expect(MatcherOrder.Kind.allCases.map(\.rawValue) == [1, 2, 3])
        #expect(MatcherReport.Kind.allCases.map(\.rawValue) == [1, 2, 3, 4])
    }

    @Test func messagesSurvive() throws {
        for kind in MatcherOrder.Kind.allCases {
            let written = bytes(MatcherOrder(kind, 1 << 33))
            #expect(try order(written) == MatcherOrder(kind, 1 << 33))
            #expect(throws: CBORError.trailingBytes) { try order(written + [0]) }
            for length in 0..<written.count {
                #expect(throws: CBORError.self) { try order([UInt8](written.prefix(length))) }
            }
        }
        for one in Self.reports {
            let written = bytes(one)
            #expect(try report(written) == one)
            #expect(throws: CBORError.trailingBytes) { try report(written + [0]) }
            for length in 0..<written.count {
                #expect(throws: CBORError.self) { try report([UInt8](written.prefix(length))) }
            }
        }
    }

    @Test func namesAreBounded() {
        func enrolment(_ device: String, _ fingers: [String]) -> FingerEnrolment? {
            FingerEnrolment(device: device, fingers: fingers)
        }
        let ten = (0..<10).map { "finger\($0)" }
        #expect(enrolment(String(repeating: "x", count: 256), ten)?.fingers.count == 10)
        #expect(enrolment("x", ten + ["one"]) == nil && enrolment("x", ["a", "a"]) == nil)
        #expect(enrolment("", ["a"]) == nil && enrolment("x", [""]) == nil)
        #expect(enrolment(String(repeating: "x", count: 257), []) == nil)
        #expect(enrolment("x", [String(repeating: "x", count: 257)]) == nil)
        #expect(enrolment("x", ["b", "a"])?.fingers == ["a", "b"])
    }

    @Test(arguments: [
        [0xA2, 0x00, 0x02, 0x01, 0x05],  // a match of nothing
        [0xA4, 0x00, 0x02, 0x01, 0x05, 0x02, 0x61, 0x78, 0x03, 0x80],  // a match of no finger
        [0xA4, 0x00, 0x03, 0x01, 0x05, 0x02, 0x61, 0x78, 0x03, 0x80],  // no match, with a reader
        [0xA3, 0x00, 0x01, 0x01, 0x05, 0x02, 0x61, 0x78],  // a reader without fingers
        [0xA4, 0x00, 0x01, 0x01, 0x05, 0x02, 0x61, 0x78, 0x03, 0x82, 0x61, 0x62, 0x61, 0x61],  // not in order
        [0xA2, 0x00, 0x05, 0x01, 0x05],  // kind 5
    ])
    func wrongReportsAreRefused(bytes: [UInt8]) {
        #expect(throws: CBORError.self) { try report(bytes) }
    }
}
