import ChatelaineModel

/// The messages between securityd and fetchd, which asks the servers that certificates name.
///
/// securityd sends one ``FetchRequest``; fetchd answers with one ``FetchReply`` and ends. Neither contains a secret.
package enum FetchProtocol {}

/// Sizes of the protocol. Both ends come from one build, so there is no negotiation.
package enum FetchWire {
    package static let version: UInt64 = 1
    /// A URL, a body, and the other fields of a request.
    package static let maximumRequestBytes = FetchLimits.maximumURLBytes + FetchLimits.maximumBodyBytes + 1024
    /// The content of an answer, and the other fields of a reply.
    package static let maximumReplyBytes = FetchLimits.maximumAnswerBytes + 1024
}

/// Limits on what one certificate can make this machine fetch.
package enum FetchLimits {
    /// The length that browsers and servers accept; URLs in certificates have a tenth of that.
    package static let maximumURLBytes = 2048
    /// A question about one certificate: about a hundred bytes, or twice that with a long serial number.
    package static let maximumBodyBytes = 1024
    /// The revocation data that one evaluation accepts.
    package static let maximumAnswerBytes = TrustLimits.maximumRevocationBytes
    /// The heads of all answers to one request; a long head has some KiB.
    package static let maximumHeadBytes = 32 * 1024
    /// The ports that an administrator may name; without a setting there is one.
    package static let maximumPorts = 16
    /// The port of http. Strangers choose what this machine writes to a port, and other ports usually speak other
    /// protocols.
    package static let usualPort: UInt16 = 80
    /// One redirect leads to another host and one to another name of it; more than three lead nowhere.
    package static let maximumRedirects = 3
    /// The time for look-up, connection and answer together, in seconds: a caller waits for it.
    package static let maximumSeconds = 10
}

/// A request to fetchd.
package struct FetchRequest: Equatable, Sendable {
    package let url: String
    /// An OCSP request, which is posted; nil to get a list or a certificate.
    package let body: [UInt8]?
    /// The time allowed for the whole request.
    package let seconds: Int
    /// The only ports that fetchd connects to.
    package let ports: [UInt16]

    /// nil beyond a limit, and where the URL is not a plain-text http URL.
    package init?(
        url: String, body: [UInt8]? = nil, seconds: Int = FetchLimits.maximumSeconds,
        ports: [UInt16] = [FetchLimits.usualPort]
    ) {
        guard url.utf8.count <= FetchLimits.maximumURLBytes, url.lowercased().hasPrefix("http://"),
            url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            (body?.count ?? 1) > 0, (body?.count ?? 0) <= FetchLimits.maximumBodyBytes,
            (1...FetchLimits.maximumSeconds).contains(seconds), (1...FetchLimits.maximumPorts).contains(ports.count)
        else { return nil }
        self.url = url
        self.body = body
        self.seconds = seconds
        self.ports = ports
    }
}

/// A reply of fetchd.
package enum FetchReply: Equatable, Sendable {
    case content([UInt8])
    case failure(FetchFailure)
}

/// Why a reply has no content.
package enum FetchFailure: UInt8, CBORValue, CaseIterable, Sendable, Error {
    case unsuitableURL = 1
    case unknownHost = 2
    /// The host's address is this machine, its link, or a group of machines.
    case refusedAddress = 3
    case unreachable = 4
    case timedOut = 5
    case tooLarge = 6
    /// A status of HTTP other than 200.
    case refusedByServer = 7
    /// There are too many redirects, or one leads away from http.
    case refusedRedirect = 8
    /// The URL or a redirect leads to a port that the request does not list.
    case refusedPort = 9
}
