import Foundation
import Security

/// Builds dictionaries like those of a listing from bare bytes and numbers, to measure their cost.
struct FloorDictionaries {
    private enum Value {
        case text([UInt8])
        case data([UInt8])
        case date(Double)
        case number(Int)
        case accessControl(SecAccessControl)
    }

    private let items: [[(key: NSString, value: Value)]]

    init(like results: [NSDictionary]) throws {
        items = try results.map { dictionary in
            try dictionary.allKeys.map { key in
                guard let key = key as? String, let object = dictionary.object(forKey: key) else {
                    throw BenchError("a result has the key \(key)")
                }
                return (NSString(string: key), try Self.value(of: object))
            }
        }
    }

    private static func value(of object: Any) throws -> Value {
        switch object {
        case let text as NSString: .text(Array(String(describing: text).utf8))
        case let data as NSData: .data(Array(Data(referencing: data)))
        case let date as NSDate: .date(date.timeIntervalSinceReferenceDate)
        case let number as NSNumber: .number(number.intValue)
        case let control as SecAccessControl: .accessControl(control)
        default: throw BenchError("a result has a value of \(type(of: object))")
        }
    }

    /// Makes an array of all dictionaries, with new objects for all values, by Foundation's fastest initializers. The
    /// names of attributes are existing objects.
    func make() -> NSArray {
        let dictionaries = items.map { pairs in
            let keys: [NSObject] = pairs.map(\.key)
            let values = pairs.map { Self.object($0.value) }
            return keys.withUnsafeBufferPointer { keys in
                values.withUnsafeBufferPointer {
                    NSDictionary(objects: $0.baseAddress, forKeys: keys.baseAddress, count: keys.count)
                }
            }
        }
        return dictionaries.withUnsafeBufferPointer { buffer in
            buffer.withMemoryRebound(to: AnyObject.self) { NSArray(objects: $0.baseAddress, count: $0.count) }
        }
    }

    private static func object(_ value: Value) -> AnyObject {
        switch value {
        case .text(let bytes): NSString(string: String(decoding: bytes, as: UTF8.self))
        case .data(let bytes): NSData(bytes: bytes, length: bytes.count)
        case .date(let seconds): NSDate(timeIntervalSinceReferenceDate: seconds)
        case .number(let number): NSNumber(value: number)
        case .accessControl(let original): SecAccessControl(original.control)
        }
    }
}
