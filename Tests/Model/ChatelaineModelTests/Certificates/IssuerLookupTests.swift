import ChatelaineModel
import Testing

/// Tests of the search for issuers: which are found, how many are read, and how much is kept meanwhile.
struct IssuerLookupTests {
    /// A store of certificates that are identified by their index.
    private final class Shelf {
        struct Certificate {
            var der: [UInt8]
            var subject: UInt8
            var issuer: UInt8?
        }

        var certificates: [Certificate] = []
        /// The indices of each reading.
        private(set) var readings: [[Int]] = []
        private(set) var names: [[UInt8]] = []
        var gone: Set<Int> = []

        func add(_ der: [UInt8], _ subject: UInt8, by issuer: UInt8?) {
            certificates.append(Certificate(der: der, subject: subject, issuer: issuer))
        }

        func named(_ subject: [UInt8]) throws(KeychainError) -> [Int] {
            names.append(subject)
            return certificates.indices.filter { [certificates[$0].subject] == subject }
        }

        func read(_ some: [Int]) throws(KeychainError) -> [Int: IssuerLookup<Int>.Issuer] {
            readings.append(some)
            var issuers: [Int: IssuerLookup<Int>.Issuer] = [:]
            for index in some where !gone.contains(index) {
                issuers[index] = .init(der: certificates[index].der, issuer: certificates[index].issuer.map { [$0] })
            }
            return issuers
        }
    }

    private let shelf = Shelf()

    private func above(
        _ walk: inout IssuerLookup<Int>, _ given: [[UInt8]] = [[0]], issuedBy names: [UInt8] = [1],
        besides bytes: Int = 0
    ) throws(KeychainError) -> [[UInt8]] {
        try walk.above(given, issuedBy: names.map { [$0] }, besides: bytes, named: shelf.named, read: shelf.read)
    }

    private static func large(_ number: Int, _ count: Int = TrustLimits.maximumCertificateBytes) -> [UInt8] {
        [UInt8(number & 0xFF), UInt8(number >> 8)] + [UInt8](repeating: 9, count: count - 2)
    }

    @Test func issuersAndTheirsAreFoundOnce() throws {
        var walk = IssuerLookup<Int>(readsAtOnce: 4)
        shelf.add([10], 1, by: 2)
        shelf.add([11], 1, by: 3)
        shelf.add([10], 1, by: 2)
        shelf.add([20], 2, by: 1)
        shelf.add([30], 3, by: nil)
        // Certificates that the question already has are not found again.
        shelf.add([0], 2, by: 4)
        #expect(try above(&walk) == [[10], [11], [20], [30]])
        #expect(shelf.names.count == 3)
        // The walk has stored the results of the first search.
        let readings = shelf.readings.count
        #expect(try above(&walk, [[0], [7]], issuedBy: [3, 2]) == [[30], [20], [10], [11]])
        #expect(shelf.names.count == 3 && shelf.readings.count == readings)
    }

    @Test func itGoesSoManyLevelsUp() throws {
        var walk = IssuerLookup<Int>(readsAtOnce: 1)
        for level in 1...UInt8(CertificateLimits.maximumChain + 5) { shelf.add([level], level, by: level + 1) }
        #expect(try above(&walk).count == CertificateLimits.maximumChain)
    }

    /// Many large certificates under one name are read only as far as there is room.
    ///
    /// The needed one is found if it comes first.
    @Test(arguments: [1, CertificateLimits.issuersReadAtOnce])
    func manyLargeOnesAreReadWhileThereIsRoom(readsAtOnce: Int) throws {
        var walk = IssuerLookup<Int>(readsAtOnce: readsAtOnce)
        shelf.add([10], 1, by: 2)
        for number in 0..<600 { shelf.add(Self.large(number), 1, by: 1) }
        let found = try above(&walk)
        #expect(found.first == [10])
        #expect(found.reduce(1) { $0 + $1.count } <= TrustLimits.maximumQuestionBytes)
        #expect(shelf.readings.allSatisfy { $0.count <= readsAtOnce })
        let bytes = TrustLimits.maximumQuestionBytes + CertificateLimits.maximumPassedOverBytes
        #expect(shelf.readings.reduce(0) { $0 + $1.count } <= bytes / TrustLimits.maximumCertificateBytes + readsAtOnce)
        // The next question reads none of them again.
        let readings = shelf.readings.count
        #expect(try above(&walk) == found)
        #expect(shelf.readings.count - readings <= 1)
    }

    /// Dozens of large certificates leave their remaining room to a small one behind them.
    @Test func aSmallOneBehindLargeOnesIsFound() throws {
        var walk = IssuerLookup<Int>(readsAtOnce: 16)
        for number in 0..<40 { shelf.add(Self.large(number), 1, by: 1) }
        shelf.add([10], 1, by: 2)
        shelf.add([20], 2, by: nil)
        let most = TrustLimits.maximumQuestionBytes / TrustLimits.maximumCertificateBytes
        #expect(try above(&walk, [Self.large(99, 1000)]).suffix(2) == [[10], [20]])
        #expect(try above(&walk, [Self.large(99, 1000)]).count == most - 1 + 2)
    }

    @Test func whatIsTooLargeOrGoneTakesNoRoom() throws {
        var walk = IssuerLookup<Int>(readsAtOnce: 16)
        for number in 0..<600 { shelf.add(Self.large(number, TrustLimits.maximumCertificateBytes + 1), 1, by: 1) }
        shelf.add([], 1, by: 1)
        shelf.add([11], 1, by: 1)
        shelf.gone = [shelf.certificates.count - 1]
        shelf.add([10], 1, by: 2)
        #expect(try above(&walk) == [[10]])
    }

    @Test func ofOneNameSoManyAreLookedAt() throws {
        var walk = IssuerLookup<Int>(readsAtOnce: 16)
        for number in 0...CertificateLimits.maximumIssuersOfOneName { shelf.add(Self.large(number, 2), 1, by: nil) }
        // The question already has one.
        #expect(try above(&walk).count == TrustLimits.maximumCertificates - 1)
        shelf.gone = Set(0..<CertificateLimits.maximumIssuersOfOneName)
        var other = IssuerLookup<Int>(readsAtOnce: 16)
        #expect(try above(&other).isEmpty)
    }

    @Test func roomIsWhatTheQuestionLeaves() throws {
        var walk = IssuerLookup<Int>(readsAtOnce: 16)
        shelf.add(Self.large(1, 100), 1, by: nil)
        #expect(try above(&walk, besides: TrustLimits.maximumQuestionBytes - 101).count == 1)
        #expect(try above(&walk, besides: TrustLimits.maximumQuestionBytes - 100).isEmpty)
    }

    /// Found certificates are kept for the next question as far as there is room.
    @Test func noMoreIsKeptThanThereIsRoomFor() throws {
        var walk = IssuerLookup<Int>(readsAtOnce: 16)
        for name in 1...10 {
            for number in 0..<15 { shelf.add(Self.large(name * 16 + number), UInt8(name), by: nil) }
            #expect(try above(&walk, issuedBy: [UInt8(name)]).count == 15)
        }
        let readings = shelf.readings.count
        for name in 1...4 { #expect(try above(&walk, issuedBy: [UInt8(name)]).count == 15) }
        #expect(shelf.readings.count == readings)
        #expect(try above(&walk, issuedBy: [10]).count == 15)
        #expect(shelf.readings.count == readings + 1)
    }
}
