import CChatelaine
import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import Glibc
import Synchronization
import SystemCalls
import TestSupport
import Testing

@testable import Enclave

/// The custodian's end of the channel to securityd-match is right, with a test at the other end.
@Suite struct FingerprintReaderTests {
    private static let enrolment = FingerEnrolment(device: "Test Reader", fingers: ["left-thumb", "right-thumb"])

    private let reader: FingerprintReader
    private let helper: FrameChannel

    init() throws {
        var pair: [Int32] = [-1, -1]
        try #require(chatelaine_unix_socketpair(&pair) == 0)
        helper = FrameChannel(descriptor: pair[1])
        helper.setDeadline(seconds: 60)
        reader = try #require(FingerprintReader(channel: pair[0]) { _ in })
    }

    private func order() throws -> MatcherOrder {
        try helper.withFrame(limit: MatcherWire.maximumFrameBytes) { frame, _ in try MatcherOrder(frame: frame) }
    }

    private func send(_ report: MatcherReport) throws { try helper.send { report.encode(to: &$0) } }

    /// The result of a match while `helper` acts at the other end.
    private func match(
        while isAwaited: @escaping @Sendable () -> Bool = { true }, _ helper: () throws -> Void
    ) throws -> BiometryMatch {
        let reader = reader
        let work = Work { reader.match(while: isAwaited) }
        try helper()
        return try work.value()
    }

    private func enrolment(_ helper: () throws -> Void) throws -> BiometryEnrolment {
        let reader = reader
        let work = Work { reader.enrolment() }
        try helper()
        return try work.value()
    }

    @Test func answers() throws {
        let set = try #require(Self.enrolment.flatMap { FingerprintReader.set(of: $0) })
        #expect(try enrolment { try send(MatcherReport(.enrolment, order().id, Self.enrolment)) } == .set(set))
        #expect(try enrolment { try send(MatcherReport(.enrolment, order().id)) } == .noReader)
        let nobody = FingerEnrolment(device: "Test Reader", fingers: [])
        #expect(try enrolment { try send(MatcherReport(.enrolment, order().id, nobody)) } == .nothing)
        #expect(try match { try send(MatcherReport(.matched, order().id, Self.enrolment)) } == .matched(set))
        #expect(try match { try send(MatcherReport(.notMatched, order().id)) } == .notMatched)
        #expect(try match { try send(MatcherReport(.failed, order().id)) } == .unavailable)
        // A report about another matter does not answer the order.
        #expect(try match { try send(MatcherReport(.enrolment, order().id, Self.enrolment)) } == .unavailable)
    }

    @Test func setsAreTold() throws {
        func set(_ device: String, _ fingers: String...) -> Bytes16? {
            FingerEnrolment(device: device, fingers: fingers).flatMap { FingerprintReader.set(of: $0) }
        }
        let one = try #require(set("a", "left-thumb"))
        #expect(set("a", "left-thumb", "right-thumb") != one && set("b", "left-thumb") != one)
        #expect(set("a", "right-thumb") != one && set("aleft-thumb", "x") != set("a", "left-thumbx"))
        #expect(set("a", "x", "y") == set("a", "y", "x"))
        #expect(set("a") == nil)
    }

    /// Reports with the number of another or abandoned order have no effect.
    @Test func anAnswerBelongsToItsOrder() throws {
        let found = try match {
            let order = try order()
            for id in [order.id + 1, 0, .max] { try send(MatcherReport(.matched, id, Self.enrolment)) }
            try send(MatcherReport(.notMatched, order.id))
            try send(MatcherReport(.matched, order.id, Self.enrolment))
        }
        #expect(found == .notMatched)
        let isAwaited = Mutex(true)
        var former: UInt64 = 0
        let withdrawn = try match(while: { isAwaited.withLock { $0 } }) {
            former = try order().id
            isAwaited.withLock { $0 = false }
            #expect(try order() == MatcherOrder(.stop, former))
        }
        #expect(withdrawn == .withdrawn)
        try send(MatcherReport(.matched, former, Self.enrolment))
        #expect(try match { try send(MatcherReport(.notMatched, order().id)) } == .notMatched)
    }

    @Test func nonsenseEndsIt() throws {
        let found = try match {
            _ = try order()
            try helper.send { $0.writeMap { $0.write(Odd.key, UInt64(7)) } }
        }
        #expect(found == .unavailable)
        #expect(reader.enrolment() == .noReader)
        #expect(reader.match { true } == .unavailable)
    }

    private enum Odd: UInt64, CBORField { case key = 9 }

    @Test func itsEndIsAnAnswer() throws {
        #expect(
            try match {
                _ = try order()
                shutdown(helper.socket, Int32(SHUT_RDWR))
            } == .unavailable)
        #expect(reader.enrolment() == .noReader)
    }

    /// securityd-match answers within a time limit. Silence beyond it means that there is no reader.
    @Test func silenceIsNoReader() throws {
        #expect(try enrolment { _ = try order() } == .noReader)
        #expect(try order().kind == .stop)
        #expect(try match { try send(MatcherReport(.notMatched, order().id)) } == .notMatched)
    }
}
