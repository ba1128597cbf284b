import ChatelaineModel
import SwiftASN1
import TrustProtocol
import X509

/// All certificates of an evaluation: the one to judge, possible intermediates, and the anchors at which a chain may
/// end.
struct Candidates {
    let leaf: ReadCertificate
    let between: [ReadCertificate]
    let anchors: [ReadCertificate]
    /// The anchors that are roots of the distribution, by their bytes; their chains must meet more requirements.
    let distributed: Set<[UInt8]>
    /// The anchors that a setting trusts.
    let bySetting: Set<[UInt8]>
    let unreadable: [UnreadableCertificate]
    /// All certificates that were read, except for ``leaf``.
    private let others: [Certificate: ReadCertificate]

    /// - Parameter fetched: certificates that servers sent.
    init(_ evaluation: TrustCase, _ decisions: SettingDecisions, leaf: ReadCertificate, fetched: [[UInt8]]) {
        let question = evaluation.question
        self.leaf = leaf
        var pool = Pool()
        pool.add(leaf)
        // Given certificates come first, so that the number of fetched ones does not delay them.
        let given = pool.read(Array(question.certificates.dropFirst()))
        let stored = pool.read(question.stored)
        let own = pool.readAnchors(question.anchors)
        // Certificates stored in a keychain are left out, because any program can put one there.
        let implicit =
            question.options.contains(.implicitAnchors)
            ? ([leaf] + given).filter(\.isSelfIssued).prefix(SearchBudget.implicitAnchors).filter(\.isSelfSigned) : []
        let settings = question.hasOwnAnchorsOnly ? [] : pool.readAnchors(decisions.trusted)
        let system = question.hasOwnAnchorsOnly ? [] : pool.readAnchors(evaluation.roots)
        var seen: Set<[UInt8]> = []
        anchors = (own + implicit + settings + system).filter { seen.insert($0.der).inserted }
        bySetting = Set(settings.map(\.der))
        distributed = Set(system.map(\.der)).subtracting((own + implicit).map(\.der)).subtracting(bySetting)
        unreadable = pool.unreadable
        // Unreadable certificates that were fetched are not reported. Otherwise whoever can change a server's answer
        // would influence the reason.
        between = given + stored + pool.read(fetched)
        var others = pool.byCertificate
        others[leaf.certificate] = nil
        self.others = others
    }

    /// The same candidates for another certificate to judge, which is none of them.
    init(_ former: Candidates, leaf: ReadCertificate) {
        self.leaf = leaf
        (between, anchors, unreadable) = (former.between, former.anchors, former.unreadable)
        (distributed, bySetting, others) = (former.distributed, former.bySetting, former.others)
    }

    func read(_ certificate: Certificate) -> ReadCertificate? {
        others[certificate] ?? (certificate == leaf.certificate ? leaf : nil)
    }

    var all: [ReadCertificate] { [leaf] + others.values }

    /// Reads each certificate once, however often it was given.
    private struct Pool {
        var byCertificate: [Certificate: ReadCertificate] = [:]
        var unreadable: [UnreadableCertificate] = []
        private var byBytes: [[UInt8]: ReadCertificate] = [:]
        /// Those that are read as anchors only, so that nothing else is taken for one of them.
        private var anchorsByBytes: [[UInt8]: ReadCertificate] = [:]

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
                // Nothing but the certificate itself may stand for a copied one, and a copy for no other.
                let same = byCertificate[certificate.certificate]
                guard same.map({ !$0.isCopied && !certificate.isCopied }) ?? true else { return nil }
                add(certificate)
                return certificate
            }
        }

        mutating func readAnchors(_ all: [[UInt8]]) -> [ReadCertificate] {
            all.compactMap { der in
                if let known = byBytes[der] ?? anchorsByBytes[der] { return known }
                guard let anchor = ReadCertificate(anchor: der) else {
                    unreadable.append(UnreadableCertificate(der))
                    return nil
                }
                guard anchor.isCopied else {
                    add(anchor)
                    return anchor
                }
                // A certificate that was read as it is must not pass for the anchor.
                guard byCertificate[anchor.certificate] == nil else { return nil }
                byCertificate[anchor.certificate] = anchor
                anchorsByBytes[der] = anchor
                return anchor
            }
        }
    }
}

extension TrustQuestion {
    /// The program's anchors at which a chain can end if equal names are encoded in one way.
    ///
    /// Their subject is the subject or issuer of a certificate that was given, stored or fetched. A chain ends at its
    /// anchor, so an anchor is never an intermediate.
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
