import ChatelaineMemory
import ChatelaineModel
import Sealing

@testable import Enclave
@testable import ItemStore
@testable import StoreEngine

/// Checks that a row counts as whole only where its seals were made for its place.
///
/// A whole row must read the same in its encoding and in its values.
enum RowTarget {
    static func run(_ bytes: UnsafeRawBufferPointer) {
        var intake = Intake(bytes)
        do throws(KeychainError) {
            switch intake.byte() {
            case 0: try examineNonsense(intake.rest())
            case 1: try examineChanged(&intake)
            case 2: try openSecrets(&intake)
            case 4: readDetached([UInt8](intake.rest()))
            case 5: readDetached(signed([UInt8](intake.rest())))
            default: try openForged(intake.rest())
            }
        } catch {
            preconditionFailure("sealing with fixed keys failed: \(error.reason)")
        }
    }

    private static let context = RowContext(
        store: FixedKeys.store, row: ItemIdentifier(Bytes16(repeating: 9)), version: 4, itemClass: .genericPassword,
        accessibility: .whenUnlocked, isSynchronizable: false, isTombstone: false,
        groupDigest: StoreDigests(FixedKeys.indexKey).group("test.group"))

    private static let sealContext = SealContext(.metadata, keyID: FixedKeys.metadataKeyID, row: context)

    private static func examiner() throws(KeychainError) -> RowVerifier {
        RowVerifier(
            store: FixedKeys.store, keys: [FixedKeys.metadataKeyID: .sealed(try SealingKey(FixedKeys.metadataKey))],
            lostKeys: LostKeys(unknown: [5]), digests: StoreDigests(FixedKeys.indexKey))
    }

    private static func row(_ metadata: [UInt8], _ secret: SealedSecret?) -> WholeRow {
        var row = WholeRow(ItemColumn.layout, row: 1, values: ItemColumn.allCases.map { _ in .null })
        row.uuid = context.row.bytes
        row.itemClass = Int64(context.itemClass.rawValue)
        row.accessibility = Int64(context.accessibility.rawValue)
        (row.sync, row.tomb) = (0, 0)
        row.version = Int64(context.version)
        row[.sequence] = .integer(1)
        row.groupDigest = context.groupDigest.array
        row.uniqueDigest = []
        row.metadataKey = Int64(FixedKeys.metadataKeyID)
        row.metadata = metadata
        row.secret = secret
        return row
    }

    private static let noSecret = SealedSecret(classKey: Int64(FixedKeys.classKeyID), rowKey: [], sealed: [])

    // MARK: Keys that programs keep

    /// Checks that an accepted key is written as it was read.
    private static func readDetached(_ bytes: [UInt8]) {
        let digests = StoreDigests(FixedKeys.indexKey)
        do throws(KeychainError) {
            let key = try DetachedKey(bytes, of: FixedKeys.store, digests)
            precondition(key.encoded(digests) == bytes, "a key with two encodings")
        } catch { precondition(error.status == .decode, "a status that is not documented: \(error.status)") }
    }

    /// Appends the correct authentication code, as any holder of the store's keys could.
    private static func signed(_ head: [UInt8]) -> [UInt8] {
        head + [4, 0x58, 32] + StoreDigests(FixedKeys.indexKey).detachedKey(head)
    }

    // MARK: Authentic nonsense

    private static func examineNonsense(_ content: UnsafeRawBufferPointer) throws(KeychainError) {
        let sealed = try SealingKey(FixedKeys.metadataKey).seal(content, for: sealContext)
        let metadata = try? ItemMetadata(decoding: content)
        for secret in [nil, noSecret] {
            if case .whole(let opened, let indexed) = try examiner().examine(row(sealed, secret)) {
                precondition(metadata != nil, "whole, and not to be read")
                precondition(opened.secretVersion == metadata?.secretVersion, "another version of the secret")
                precondition(opened.context.constraints == metadata?.constraints, "other constraints")
                precondition((opened.secretVersion == 0) == (secret == nil), "a secret too many or too few")
                precondition(indexed.uniqueDigest.count == KeyedDigest.byteCount, "a digest of another length")
            }
        }
        guard let metadata else { return }
        let encoded = metadata.encode()
        encoded.withUnsafeBytes { precondition($0.elementsEqual(content), "attributes with two encodings") }
        var wanted = metadata.attributes
        check(content, metadata, for: wanted)
        wanted[.account] = .text("nobody")
        check(content, metadata, for: wanted)
        check(content, metadata, for: AttributeSet())
    }

    /// Checks that a search, which compares the encoding, has the same result as a comparison of the values.
    private static func check(_ content: UnsafeRawBufferPointer, _ metadata: ItemMetadata, for wanted: AttributeSet) {
        for group in [nil, "test.group"] as [AccessGroup?] {
            // As in searches, the access group is matched apart from the attributes.
            var wanted = wanted
            if group != nil { wanted[.accessGroup] = nil }
            var query = ItemQuery(itemClass: .internetPassword)
            query.attributes = wanted
            let exact = AttributeDemand(query)
            query.ignoresCase = true
            let folded = AttributeDemand(query)
            guard let finding = try? ItemMetadata.examine(content, for: exact, group: group, takesCertificate: true),
                let inAnyCase = try? ItemMetadata.examine(content, for: folded, group: group, takesCertificate: true)
            else {
                preconditionFailure("read once, and then no more")
            }
            precondition(finding.constraints == metadata.constraints, "the encoding has other constraints")
            let isInGroup = group.map { metadata.attributes[.accessGroup]?.matches(.text($0.text)) ?? false } ?? true
            precondition(
                finding.isMatch == (isInGroup && exact.isSatisfied(by: metadata.attributes)),
                "the encoding matches otherwise")
            precondition(
                inAnyCase.isMatch == (isInGroup && folded.isSatisfied(by: metadata.attributes)),
                "the encoding matches otherwise where case does not count")
            precondition(inAnyCase.isMatch || !finding.isMatch, "what is the same differs by more than case")
            let rest = UnsafeRawBufferPointer(rebasing: content.dropFirst(finding.attributesOffset))
            precondition((try? EncodedAttributes.decoded(rest)) != nil, "the attributes begin elsewhere")
        }
    }

    // MARK: Changed rows

    private static func examineChanged(_ intake: inout Intake) throws(KeychainError) {
        var attributes = AttributeSet()
        attributes[.accessGroup] = .text("test.group")
        attributes[.account] = .text(intake.text())
        let content = ItemMetadata(secretVersion: 4, attributes: attributes).encode()
        let authentic = row(try SealingKey(FixedKeys.metadataKey).seal(content, for: sealContext), noSecret)
        var changed = authentic
        for _ in 0..<3 { change(&changed, &intake) }
        guard case .whole(let opened, _) = try examiner().examine(changed) else {
            return precondition(changed != authentic, "an authentic row was refused")
        }
        precondition(changed.context(in: FixedKeys.store) == context, "a row was taken for that of another place")
        precondition(changed.metadata == authentic.metadata && changed.secret != nil, "a changed row was accepted")
        precondition(opened.secretVersion == 4, "another version of the secret")
    }

    private static func change(_ row: inout WholeRow, _ intake: inout Intake) {
        let choice = intake.byte()
        let number = Int64(bitPattern: intake.word())
        switch choice {
        case 1: row.uuid = [UInt8](intake.piece())
        case 2: row.itemClass = number
        case 3: row.accessibility = number
        case 4: row.sync = number
        case 5: row.tomb = number
        case 6: row.version = number
        case 7: row.groupDigest = [UInt8](intake.piece())
        case 8: row.metadataKey = number
        case 9: row.metadata = [UInt8](intake.piece())
        case 10: flip(&row.metadata, number)
        case 11: row.secret = nil
        case 12: row.uniqueDigest = [UInt8](intake.piece())
        case 13: row.search = row.search.map { _ in [UInt8](intake.piece()) }
        case 14: row.metadata.removeLast(min(row.metadata.count, Int(UInt8(truncatingIfNeeded: number))))
        default: break
        }
    }

    private static func flip(_ bytes: inout [UInt8], _ number: Int64) {
        guard !bytes.isEmpty else { return }
        let bit = Int(UInt64(bitPattern: number) % UInt64(8 * bytes.count))
        bytes[bit / 8] ^= 1 << UInt8(bit % 8)
    }

    // MARK: Secrets

    private static func openSecrets(_ intake: inout Intake) throws(KeychainError) {
        let keys = FixedKeys()
        let sealer = RowSealer(
            store: FixedKeys.store, digests: StoreDigests(FixedKeys.indexKey), source: keys,
            metadataKeys: MetadataKeys(keys, of: FixedKeys.store))
        let choice = intake.byte()
        let number = Int64(bitPattern: intake.word())
        let content = SecretBytes(copying: intake.piece())
        var sealed = try sealer.seal([(context: context, secret: content)])[0].secret
        var place = context
        switch choice {
        case 1: flip(&sealed.rowKey, number)
        case 2: flip(&sealed.sealed, number)
        case 3: sealed.rowKey = [UInt8](intake.rest())
        case 4: sealed.sealed = [UInt8](intake.rest())
        case 5: place.version = UInt64(bitPattern: number)
        case 6: sealed.classKey = number
        case 7:
            // A row key of any length, in a wrapping that opens.
            let key = SecretBytes(copying: intake.piece())
            sealed.rowKey = try SealingKey(FixedKeys.classKey).seal(
                key, for: SealContext(.rowKey, keyID: FixedKeys.classKeyID, row: context))
        default: break
        }
        let isChanged =
            !(1...7).contains(choice)
            ? false
            : choice < 5 || choice == 7
                || place != context || sealed.classKeyID != FixedKeys.classKeyID
        let row = OpenedRow(
            row: 1, context: place, secretVersion: place.version, encodedAttributes: nil, secret: sealed)
        let opened: RowSealer.Opened
        do throws(KeychainError) { opened = try sealer.openSecret(of: row) } catch {
            return precondition(isChanged, "an authentic secret was refused: \(error.reason)")
        }
        switch opened {
        case .secret(let secret): precondition(!isChanged && secret == content, "a changed secret was opened")
        case .damaged: precondition(isChanged, "an authentic secret was called damaged")
        case .refused: preconditionFailure("a secret was left out, and nobody asked for that")
        }
    }

    private static func openForged(_ bytes: UnsafeRawBufferPointer) throws(KeychainError) {
        let forged = row([UInt8](bytes), nil)
        if case .whole = try examiner().examine(forged) { preconditionFailure("a seal was forged") }
    }
}
