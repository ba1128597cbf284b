import ChatelaineModel
import SwiftASN1
import TrustProtocol
import X509

/// All certificates of an evaluation: the one that is judged, those that may stand between, and those at which a chain may end.
struct Candidates {
    let leaf: ReadCertificate
    let between: [ReadCertificate]
    let anchors: [ReadCertificate]
    /// Which of them is an anchor of the distribution's, by its bytes; such chains are held to more.
    let distributed: Set<[UInt8]>
    /// Which of them is one because a setting says so.
    let bySetting: Set<[UInt8]>
    let unreadable: [UnreadableCertificate]
    /// All that were read, by certificate.
    private let read: [Certificate: ReadCertificate]

    /// - Parameter fetched: what servers have sent.
    init(_ evaluation: TrustCase, _ decisions: SettingDecisions, leaf: ReadCertificate, fetched: [[UInt8]]) {
        let question = evaluation.question
        self.leaf = leaf
        var pool = Pool()
        pool.add(leaf)
        // What was given comes first: however many a server sends, none of these has to wait.
        let given = pool.read(Array(question.certificates.dropFirst()))
        let stored = pool.read(question.stored)
        let own = pool.read(question.anchors)
        // None of a keychain: any program can put one there.
        let implicit =
            question.options.contains(.implicitAnchors) ? ([leaf] + given).filter(\.isSelfSigned) : []
        let settings = question.hasOwnAnchorsOnly ? [] : pool.read(decisions.trusted)
        let system = question.hasOwnAnchorsOnly ? [] : pool.read(evaluation.roots)
        var seen: Set<[UInt8]> = []
        anchors = (own + implicit + settings + system).filter { seen.insert($0.der).inserted }
        bySetting = Set(settings.map(\.der))
        distributed = Set(system.map(\.der)).subtracting((own + implicit).map(\.der)).subtracting(bySetting)
        unreadable = pool.unreadable
        // Of what cannot be read nothing is told here. Whoever can change what a server sends would have a say about the reason else.
        between = given + stored + pool.read(fetched)
        read = pool.byCertificate
    }

    func read(_ certificate: Certificate) -> ReadCertificate? { read[certificate] }

    var all: Dictionary<Certificate, ReadCertificate>.Values { read.values }

    /// Each is read once, however often it was given.
    private struct Pool {
        var byCertificate: [Certificate: ReadCertificate] = [:]
        var unreadable: [UnreadableCertificate] = []
        private var byBytes: [[UInt8]: ReadCertificate] = [:]

        mutating func add(_ certificate: ReadCertificate) {
            byBytes[certificate.der] = certificate
            byCertificate[certificate.certificate] = certificate
        }

        mutating func read(_ all: [[UInt8]]) -> [ReadCertificate] {
            all.compactMap { der in
                if let known = byBytes[der] { return known }
                guard let certificate = ReadCertificate(der) else {
                    unreadable.append(UnreadableCertificate(der))
                    return nil
                }
                add(certificate)
                return certificate
            }
        }
    }
}

extension TrustQuestion {
    /// The program's anchors to which a chain leads where names are written in one way: those whose subject is the subject or issuer of a certificate that
    /// was given or fetched. A chain ends at an anchor, so none leads through one.
    func likelyAnchors(with fetched: [[UInt8]] = []) -> [[UInt8]] {
        var wanted: Set<ArraySlice<UInt8>> = []
        for names in (certificates + stored + fetched).compactMap(EncodedNames.init) {
            wanted.formUnion([names.issuer, names.subject])
        }
        return anchors.filter { anchor in
            guard let names = EncodedNames(anchor) else { return true }
            return wanted.contains(names.subject)
        }
    }
}
