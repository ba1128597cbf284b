/// Where distributions keep the certificates that they trust, all in one file.
package enum DistributionRoots {
    /// The paths of the file in Debian and Alpine, Fedora, openSUSE, and Arch.
    ///
    /// The first existing file counts, unless it is a link, as in Arch.
    package static let places = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
        "/var/lib/ca-certificates/ca-bundle.pem", "/etc/ca-certificates/extracted/tls-ca-bundle.pem",
    ]
}
