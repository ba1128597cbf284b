import ChatelaineModel
import Synchronization
import TestSupport
import Testing
import TrustProtocol

@testable import SecurityServer

/// securityd keeps readings of certificates.
struct CertificateServiceTests {
    /// An examiner that answers with the number of questions so far.
    private final class Examiner: CertificateExamining {
        let questions = Mutex<[[[UInt8]]]>([])

        func read(_ certificates: [[UInt8]]) throws(KeychainError) -> [CertificateReading] {
            let count = questions.withLock { questions in
                if !certificates.isEmpty { questions.append(certificates) }
                return questions.count
            }
            return certificates.map { _ in .flaw("question \(count)") }
        }

        func normalize(_ names: [[UInt8]]) throws(KeychainError) -> [[UInt8]] { names }
    }

    private let examiner = Examiner()
    private let service: CertificateService

    init() { service = CertificateService(examiner) }

    @Test func whatWasReadAloneIsRemembered() throws {
        #expect(try service.read([[1]]) == [.flaw("question 1")])
        #expect(try service.read([[1]]) == [.flaw("question 1")])
        #expect(try service.read([[2]]) == [.flaw("question 2")])
        // Only the new certificates are asked about.
        #expect(
            try service.read([[1], [3], [4]]) == [
                .flaw("question 1"), .flaw("question 3"), .flaw("question 3"),
            ])
        #expect(examiner.questions.withLock { $0 } == [[[1]], [[2]], [[3], [4]]])
    }

    /// A certificate that takes trustd over may make it lie about others in the same question.
    @Test func whatWasReadWithOthersIsNot() throws {
        #expect(try service.read([[1], [2]]) == [.flaw("question 1"), .flaw("question 1")])
        #expect(try service.read([[1]]) == [.flaw("question 2")])
    }

    @Test func manyAreReadInRounds() throws {
        let many = (0..<CertificateLimits.maximumBatch * 2 + 1).map { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let readings = try service.read(many)
        #expect(readings.count == many.count && readings.last == .flaw("question 3"))
        let large = [UInt8](repeating: 7, count: CertificateLimits.maximumBytes)
        let five = (0..<5).map { [UInt8($0)] + large.dropLast() }
        #expect(try service.read(five).map { $0 } == (0..<5).map { .flaw("question \($0 < 4 ? 4 : 5)") })
        guard case .flaw(let reason)? = try service.read([large + [1]]).first else {
            Issue.record("a report")
            return
        }
        #expect(reason.contains("\(CertificateLimits.maximumBytes)"))
    }

    @Test func memoryIsBounded() throws {
        for number in 0..<CertificateService.generationCount * 3 {
            _ = try service.read([[UInt8(number & 0xFF), UInt8(number >> 8)]])
        }
        let before = examiner.questions.withLock { $0.count }
        _ = try service.read([[0, 0]])
        #expect(examiner.questions.withLock { $0.count } == before + 1)
        _ = try service.read([[0, 0]])
        #expect(examiner.questions.withLock { $0.count } == before + 1)
    }

    @Test func whatIsNoneIsRefused() {
        #expect(throws: KeychainError(.param, "")) { try service.report(of: [1]) }
    }
}
