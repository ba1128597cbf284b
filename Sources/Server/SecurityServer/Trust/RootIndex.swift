import ChatelaineModel
import Glibc
import TrustProtocol

/// Roots by their subjects, so that securityd finds them without parsing the certificates of a question.
struct RootIndex: Sendable {
    let roots: [TrustRoot]
    /// The subjects, each with the places of its roots.
    fileprivate let subjects: [(name: [UInt8], places: [Int])]
    /// The places of subjects by their first two bytes, which of a name are its tag and its length.
    ///
    /// So one pass over a certificate looks for all subjects. A search for each of them would be a pass for each.
    private let byStart: [UInt16: [Int]]
    /// Whether a subject begins with that byte; nearly all bytes are passed over by this.
    private let starts: [Bool]

    /// Roots of which the subject is shorter than any name (X.690, 8.1) are found by no certificate.
    init(_ roots: [TrustRoot]) {
        self.roots = roots
        let subjects = Dictionary(grouping: roots.indices) { roots[$0].subject }.filter { $0.key.count >= 2 }
            .map { (name: $0, places: $1) }
        self.subjects = subjects
        byStart = Dictionary(grouping: subjects.indices) { Self.start(subjects[$0].name[0], subjects[$0].name[1]) }
        var starts = [Bool](repeating: false, count: 256)
        for subject in subjects { starts[Int(subject.name[0])] = true }
        self.starts = starts
    }

    private static func start(_ first: UInt8, _ second: UInt8) -> UInt16 { UInt16(first) << 8 | UInt16(second) }

    /// The places of the subjects that occur in `bytes`, some of them possibly more than once.
    fileprivate func subjects(in bytes: [UInt8]) -> [Int] {
        bytes.withUnsafeBufferPointer { bytes in
            var found: [Int] = []
            for place in bytes.indices.dropLast() where starts[Int(bytes[place])] {
                for subject in byStart[Self.start(bytes[place], bytes[place + 1])] ?? [] {
                    let rest = UnsafeBufferPointer(rebasing: bytes[place...])
                    if rest.begins(with: subjects[subject].name) { found.append(subject) }
                }
            }
            return found
        }
    }
}

/// The roots to which the certificates of one evaluation can lead.
struct RootSearch {
    private let index: RootIndex
    private var isFound: [Bool]
    private(set) var found: [[UInt8]] = []

    init(_ index: RootIndex) {
        self.index = index
        isFound = [Bool](repeating: false, count: index.subjects.count)
    }

    /// Finds the roots whose subjects occur in one of `certificates`, or in a root found this way.
    ///
    /// A chain can lead to no others.
    ///
    /// The bytes are only searched for; trustd finds out what they mean.
    ///
    /// - Returns: the roots that were not found before.
    mutating func add(_ certificates: [[UInt8]]) -> [[UInt8]] {
        let before = found.count
        var searched = certificates
        while let certificate = searched.popLast() {
            for subject in index.subjects(in: certificate) where !isFound[subject] {
                isFound[subject] = true
                let named = index.subjects[subject].places.map { index.roots[$0].certificate }
                found += named
                searched += named
            }
        }
        return Array(found[before...])
    }
}

extension UnsafeBufferPointer<UInt8> {
    fileprivate func begins(with part: [UInt8]) -> Bool {
        part.withUnsafeBufferPointer { part in
            guard part.count <= count, let start = baseAddress, let other = part.baseAddress else {
                return part.isEmpty
            }
            // SAFETY: both have this many bytes.
            return memcmp(start, other, part.count) == 0
        }
    }
}
