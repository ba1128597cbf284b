import Foundation

// SignedToken sign NAME=VALUE…    a JSON Web Token with these claims, signed by ES256 with a key that the enclave has;
//                                 it makes one the first time
// SignedToken key                 its public key as a JSON Web Key, for those who verify
// SignedToken delete              ends the key: nobody signs with it any more

func complain(_ text: String, _ status: Int32) -> Never {
    FileHandle.standardError.write(Data((text + "\n").utf8))
    exit(status)
}

let arguments = Array(CommandLine.arguments.dropFirst())
let signer = TokenSigner(tag: "org.example.signed-token")

do {
    switch (arguments.first, arguments.dropFirst()) {
    case ("sign", let words):
        var claims: [String: String] = [:]
        for word in words {
            let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { complain("a claim is NAME=VALUE: \(word)", 2) }
            claims[parts[0]] = parts[1]
        }
        print(try signer.token(with: claims))
    case ("key", []): print(try signer.publicKey())
    case ("delete", []): print(try signer.delete() ? "deleted" : "not found")
    default: complain("usage: SignedToken sign NAME=VALUE… | key | delete", 2)
    }
} catch {
    complain("\(error)", 1)
}
