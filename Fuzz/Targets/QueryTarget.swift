import ChatelaineIPC
import ChatelaineModel
import Foundation

@testable import Security

/// Checks that the parser treats a dictionary the same in every order, and that the daemon accepts what the parser
/// does.
enum QueryTarget {
    /// The operations of a query; nil for an addition.
    private static let operations: [SearchOperation?] = [nil, .find, .update, .delete]

    static func run(_ bytes: UnsafeRawBufferPointer) {
        var intake = Intake(bytes)
        let operation = operations[intake.number(below: operations.count)]
        let isForeign = intake.flag()
        let count = intake.number(below: 24)
        var objects = FuzzedObjects(intake)
        let dictionary = objects.dictionary(count: count, depth: 0)
        let pairs: [QueryDictionary.Pair]
        do throws(KeychainError) {
            pairs = try QueryDictionary.pairs(of: isForeign ? ForeignDictionary(dictionary) : dictionary)
        } catch {
            return precondition(error.status == .param, "a key that is no text has a status of its own")
        }
        precondition(pairs.count == dictionary.count, "pairs were lost on the way")
        guard let operation else { return add(pairs) }
        let query = try? QueryParser.query(pairs, for: operation)
        let reversed = try? QueryParser.query(pairs.reversed(), for: operation)
        precondition((query == nil) == (reversed == nil), "the order of a dictionary decides")
        guard let query, let reversed else { return }
        do throws(KeychainError) { try query.validate(for: operation) } catch {
            preconditionFailure("the daemon refuses what the parser accepts: \(error.reason)")
        }
        let encoded = encode(FindItems(query))
        precondition(encoded == encode(FindItems(reversed)), "the order of a dictionary changes its meaning")
        check(encoded)
        if operation == .update { update(query, &objects) }
    }

    private static func add(_ pairs: [QueryDictionary.Pair]) {
        let item = try? QueryParser.newItem(pairs)
        let reversed = try? QueryParser.newItem(pairs.reversed())
        precondition((item == nil) == (reversed == nil), "the order of a dictionary decides")
        guard let item, let reversed else { return }
        do throws(KeychainError) { try item.validate() } catch {
            preconditionFailure("the daemon refuses the item that the parser accepts: \(error.reason)")
        }
        let identifier = RequestIdentifier(Bytes16(repeating: 1))
        let encoded = encode(AddItem(item, identifier: identifier))
        precondition(
            encoded == encode(AddItem(reversed, identifier: identifier)),
            "the order of a dictionary changes its meaning")
        check(encoded)
    }

    private static func update(_ query: ItemQuery, _ objects: inout FuzzedObjects) {
        guard let pairs = try? QueryDictionary.pairs(of: objects.dictionary(count: 6, depth: 0)),
            let change = try? QueryParser.change(pairs, of: query.itemClass)
        else { return }
        do throws(KeychainError) { try change.validate(for: query.itemClass) } catch {
            preconditionFailure("the daemon refuses the change that the parser accepts: \(error.reason)")
        }
        check(encode(UpdateItems(query, change)))
    }

    private static func encode(_ request: any RequestMessage) -> [UInt8] {
        var writer = CBORWriter()
        request.encode(to: &writer)
        return writer.finishArray()
    }

    private static func check(_ encoded: [UInt8]) {
        encoded.withUnsafeBytes { bytes in
            guard let request = try? RequestReader(bytes).readAny() else {
                preconditionFailure("the daemon cannot read what the client writes")
            }
            precondition(encode(request) == encoded, "the daemon reads another request than was written")
        }
    }
}

/// A dictionary of neither of Foundation's own classes, so that the parser takes the slow path.
private final class ForeignDictionary: NSDictionary {
    private var held = NSDictionary()

    convenience init(_ held: NSDictionary) {
        self.init()
        self.held = held
    }

    override var count: Int { held.count }
    override func object(forKey key: Any) -> Any? { held.object(forKey: key) }
    override func keyEnumerator() -> NSEnumerator { held.keyEnumerator() }
}
