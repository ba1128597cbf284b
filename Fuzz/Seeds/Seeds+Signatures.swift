import SignatureFormat

/// Realistic signatures, except for certificates and signed data, which the fuzzer could not make valid.
extension Seeds {
    static let signatures: [Seed] = [
        ("signature", [2] + Array(payload.utf8)), ("with-header", [2] + Array((header + "\0" + payload).utf8)),
        ("duplicate", [2] + Array(payload.replacing("\"iat\":1", with: "\"iat\":1,\"i\\u0061t\":2").utf8)),
        ("entitlements", [1] + Array(entitlements.utf8)),
        ("numbers", [1] + Array("[0,-1,1.5e-3,1E9,9223372036854775807]".utf8)),
        ("escapes", [1] + Array("\"\\ud83d\\ude00\\u00e9\\\"\\\\\\/\\b\\f\\n\\r\\t\"".utf8)),
        ("nested", [1] + Array("[[[[[[[[]]]]]]]]".utf8)), ("standard", [3] + Array("AAECAw==".utf8)),
        ("url", [3] + Array("-_8".utf8)), ("whole", [0] + whole),
    ]

    private static let header = "{\"alg\":\"EdDSA\",\"typ\":\"codesig+jws\",\"x5c\":[\"AAAA\",\"AQID\"]}"
    private static let entitlements =
        "{\"application-identifier\":\"TEAM123456.one\",\"keychain-access-groups\":[\"TEAM123456.one\",\"TEAM123456.a.b\"],"
        + "\"com.apple.security.application-groups\":[\"group.one\"],\"other\":{\"a\":[true,null,1.5]}}"
    private static let payload =
        "{\"sub\":\"TEAM123456.one\",\"team\":\"TEAM123456\",\"sha256\":\"" + String(repeating: "0a", count: 32)
        + "\",\"nbf\":1,\"exp\":3,\"iat\":1,\"entitlements\":" + entitlements + ",\"profile\":\""
        + String(decoding: profile, as: UTF8.self) + "\"}"

    private static let profile = jws(
        "{\"alg\":\"ES256\",\"typ\":\"profile+jws\",\"x5c\":[\"AAAA\"]}",
        "{\"team\":\"TEAM123456\",\"leaf\":[],\"identifiers\":[\"TEAM123456.*\"],\"groups\":[\"TEAM123456.a.*\"],"
            + "\"application-groups\":[\"group.one\"],\"nbf\":1,\"exp\":2}")
    private static let whole = jws(header, payload)

    private static func jws(_ header: String, _ payload: String) -> [UInt8] {
        Array(
            [Array(header.utf8), Array(payload.utf8), [1, 2, 3]].map { Base64.url.encode($0) }
                .joined(separator: Array(".".utf8)))
    }
}
