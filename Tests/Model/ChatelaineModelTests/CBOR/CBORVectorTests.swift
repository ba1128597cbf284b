import ChatelaineModel
import Testing

/// Tests with the examples of RFC 8949, appendix A.
///
/// Each is read as its value, or refused by the rule of our subset that it breaks.
struct CBORVectorTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let notation: String
        let encoding: [UInt8]
        let expected: @Sendable () -> Result<CBORTree, CBORError>
        var testDescription: String { notation }

        init(_ notation: String, _ digits: String, _ value: @autoclosure @escaping @Sendable () -> CBORTree) {
            self.notation = notation
            encoding = bytes(digits)
            expected = { .success(value()) }
        }

        init(_ notation: String, _ digits: String, refused error: CBORError) {
            self.notation = notation
            encoding = bytes(digits)
            expected = { .failure(error) }
        }
    }

    @Test(arguments: numbers + floats + simpleValues + tags + strings + collections + indefiniteLengths)
    func appendixA(_ vector: Vector) {
        let result = vector.encoding.withUnsafeBytes { input in
            Result { () throws(CBORError) in try CBORTree.reading(input) }
        }
        #expect(result == vector.expected())
        if case .success(let tree) = result { #expect(tree.encoding == vector.encoding) }
    }

    static let numbers: [Vector] = [
        Vector("0", "00", .unsigned(0)), Vector("1", "01", .unsigned(1)), Vector("10", "0a", .unsigned(10)),
        Vector("23", "17", .unsigned(23)), Vector("24", "1818", .unsigned(24)), Vector("25", "1819", .unsigned(25)),
        Vector("100", "1864", .unsigned(100)), Vector("1000", "1903e8", .unsigned(1000)),
        Vector("1000000", "1a000f4240", .unsigned(1_000_000)),
        Vector("1000000000000", "1b000000e8d4a51000", .unsigned(1_000_000_000_000)),
        Vector("18446744073709551615", "1bffffffffffffffff", .unsigned(.max)),
        Vector("18446744073709551616", "c249010000000000000000", refused: .unsupported),
        // The example is well formed, but its value is beyond every type that we read it into.
        Vector("-18446744073709551616", "3bffffffffffffffff", refused: .outOfRange),
        Vector("-18446744073709551617", "c349010000000000000000", refused: .unsupported),
        Vector("-1", "20", .negative(-1)), Vector("-10", "29", .negative(-10)),
        Vector("-100", "3863", .negative(-100)), Vector("-1000", "3903e7", .negative(-1000)),
    ]

    static let floats: [Vector] = [
        Vector("0.0", "f90000", refused: .notShortest), Vector("-0.0", "f98000", refused: .notShortest),
        Vector("1.0", "f93c00", refused: .notShortest),
        Vector("1.1", "fb3ff199999999999a", .double((1.1).bitPattern)),
        Vector("1.5", "f93e00", refused: .notShortest), Vector("65504.0", "f97bff", refused: .notShortest),
        Vector("100000.0", "fa47c35000", refused: .notShortest),
        Vector("3.4028234663852886e+38", "fa7f7fffff", refused: .notShortest),
        Vector("1.0e+300", "fb7e37e43c8800759c", .double((1.0e+300).bitPattern)),
        Vector("5.960464477539063e-8", "f90001", refused: .notShortest),
        Vector("0.00006103515625", "f90400", refused: .notShortest),
        Vector("-4.0", "f9c400", refused: .notShortest),
        Vector("-4.1", "fbc010666666666666", .double((-4.1).bitPattern)),
        Vector("Infinity (16)", "f97c00", refused: .notShortest), Vector("NaN (16)", "f97e00", refused: .notShortest),
        Vector("-Infinity (16)", "f9fc00", refused: .notShortest),
        Vector("Infinity (32)", "fa7f800000", refused: .notShortest),
        Vector("NaN (32)", "fa7fc00000", refused: .notShortest),
        Vector("-Infinity (32)", "faff800000", refused: .notShortest),
        Vector("Infinity (64)", "fb7ff0000000000000", .double(Double.infinity.bitPattern)),
        Vector("NaN (64)", "fb7ff8000000000000", .double(0x7FF8_0000_0000_0000)),
        Vector("-Infinity (64)", "fbfff0000000000000", .double((-Double.infinity).bitPattern)),
    ]

    static let simpleValues: [Vector] = [
        Vector("false", "f4", .bool(false)), Vector("true", "f5", .bool(true)), Vector("null", "f6", .null),
        Vector("undefined", "f7", refused: .unsupported), Vector("simple(16)", "f0", refused: .unsupported),
        Vector("simple(255)", "f8ff", refused: .unsupported),
    ]

    static let tags: [Vector] = [
        Vector("0(date)", "c074323031332d30332d32315432303a30343a30305a", refused: .unsupported),
        Vector("1(1363896240)", "c11a514b67b0", refused: .unsupported),
        Vector("1(1363896240.5)", "c1fb41d452d9ec200000", refused: .unsupported),
        Vector("23(h'01020304')", "d74401020304", refused: .unsupported),
        Vector("24(h'6449455446')", "d818456449455446", refused: .unsupported),
        Vector("32(URI)", "d82076687474703a2f2f7777772e6578616d706c652e636f6d", refused: .unsupported),
    ]

    static let strings: [Vector] = [
        Vector("h''", "40", .bytes([])), Vector("h'01020304'", "4401020304", .bytes([1, 2, 3, 4])),
        Vector("\"\"", "60", .text("")), Vector("\"a\"", "6161", .text("a")),
        Vector("\"IETF\"", "6449455446", .text("IETF")), Vector("quote, backslash", "62225c", .text("\"\\")),
        Vector("U+00FC", "62c3bc", .text("\u{FC}")), Vector("U+6C34", "63e6b0b4", .text("\u{6C34}")),
        Vector("U+10151", "64f0908591", .text("\u{10151}")),
    ]

    static let collections: [Vector] = [
        Vector("[]", "80", .array([])),
        Vector("[1, 2, 3]", "83010203", .array([.unsigned(1), .unsigned(2), .unsigned(3)])),
        Vector(
            "[1, [2, 3], [4, 5]]", "8301820203820405",
            .array([
                .unsigned(1), .array([.unsigned(2), .unsigned(3)]), .array([.unsigned(4), .unsigned(5)]),
            ])),
        Vector(
            "[1 to 25]", "98190102030405060708090a0b0c0d0e0f101112131415161718181819",
            .array((1...25).map { .unsigned($0) })),
        Vector("{}", "a0", .map([], [])),
        Vector(
            "{1: 2, 3: 4}", "a201020304", .map([.unsigned(1), .unsigned(3)], [.unsigned(2), .unsigned(4)])),
        Vector(
            "{\"a\": 1, \"b\": [2, 3]}", "a26161016162820203",
            .map([.text("a"), .text("b")], [.unsigned(1), .array([.unsigned(2), .unsigned(3)])])),
        Vector(
            "[\"a\", {\"b\": \"c\"}]", "826161a161626163", .array([.text("a"), .map([.text("b")], [.text("c")])])),
        Vector(
            "{\"a\": \"A\", to \"e\": \"E\"}", "a56161614161626142616361436164614461656145",
            .map(["a", "b", "c", "d", "e"].map { .text($0) }, ["A", "B", "C", "D", "E"].map { .text($0) })),
    ]

    static let indefiniteLengths: [Vector] = [
        Vector("(_ h'0102', h'030405')", "5f42010243030405ff", refused: .unsupported),
        Vector("(_ \"strea\", \"ming\")", "7f657374726561646d696e67ff", refused: .unsupported),
        Vector("[_ ]", "9fff", refused: .unsupported),
        Vector("[_ 1, [2, 3], [_ 4, 5]]", "9f018202039f0405ffff", refused: .unsupported),
        Vector("[_ 1, [2, 3], [4, 5]]", "9f01820203820405ff", refused: .unsupported),
        Vector("[1, [2, 3], [_ 4, 5]]", "83018202039f0405ff", refused: .unsupported),
        Vector("[1, [_ 2, 3], [4, 5]]", "83019f0203ff820405", refused: .unsupported),
        Vector(
            "[_ 1 to 25]", "9f0102030405060708090a0b0c0d0e0f101112131415161718181819ff", refused: .unsupported),
        Vector("{_ \"a\": 1, \"b\": [_ 2, 3]}", "bf61610161629f0203ffff", refused: .unsupported),
        Vector("[\"a\", {_ \"b\": \"c\"}]", "826161bf61626163ff", refused: .unsupported),
        Vector("{_ \"Fun\": true, \"Amt\": -2}", "bf6346756ef563416d7421ff", refused: .unsupported),
    ]
}
