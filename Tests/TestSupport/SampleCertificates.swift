/// Certificates of a small authority, made by openssl(1): DER in Base64, valid from 2020 to 2099 unless noted.
package enum SampleCertificates {
    /// `C=de, O=Sample  org, CN=Sample Root`, self-signed; P-256.
    package static let root = [
        "MIIBtzCCAV6gAwIBAgIUdjLbd0aEWivLDf7fEDNRH/VskqgwCgYIKoZIzj0EAwIwOTELMAkGA1UEBhMCZGUxFDASBgNVBAoTC1NhbXBsZSAgb3JnMRQw",
        "EgYDVQQDEwtTYW1wbGUgUm9vdDAgFw0yMDAxMDEwMDAwMDBaGA8yMDk5MDEwMTAwMDAwMFowOTELMAkGA1UEBhMCZGUxFDASBgNVBAoTC1NhbXBsZSAg",
        "b3JnMRQwEgYDVQQDEwtTYW1wbGUgUm9vdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABFQ9N0UFBeWgp3STi/oCyaTeP8fKZXM//twriEPiuU2txunS",
        "dZ2Y2Rw14qUzoLlRMK5A/jJ0x82WWQPWQ1ue0SejQjBAMA8GA1UdEwEB/wQFMAMBAf8wDgYDVR0PAQH/BAQDAgEGMB0GA1UdDgQWBBTcppOkj2fRfTsa",
        "jxrZPiQaZ3+BcTAKBggqhkjOPQQDAgNHADBEAiBZedPz8HU1vHoun/GTVrJ+T4vynlnKsKriXi3ZthtyYAIgQoU8DLkHtA7Ap9/WNTBtfgPRgdWIbuLO",
        "5qgFbX/7ITY=",
    ].joined()

    /// `C=de, O=Sample  org, CN=Sample Middle`, issued by ``root``; P-384.
    package static let middle = [
        "MIIB+zCCAaGgAwIBAgIUcxII8n6itT+tCaiN7iBvjpDAyiwwCgYIKoZIzj0EAwIwOTELMAkGA1UEBhMCZGUxFDASBgNVBAoTC1NhbXBsZSAgb3JnMRQw",
        "EgYDVQQDEwtTYW1wbGUgUm9vdDAgFw0yMDAxMDEwMDAwMDBaGA8yMDk5MDEwMTAwMDAwMFowOzELMAkGA1UEBhMCZGUxFDASBgNVBAoTC1NhbXBsZSAg",
        "b3JnMRYwFAYDVQQDEw1TYW1wbGUgTWlkZGxlMHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEcp7Z9Lg8XRNOekLP4r1momW3HR0IDsO395OaOTJZZg9/IsUc",
        "D3IXrxzy8ISteM+/J8j4j3CgjpKDqc2+uVKKGSQg+P/4F8gcMSsrog6NjM43VdRJaLY1Do6yrKE8HTJco2YwZDASBgNVHRMBAf8ECDAGAQH/AgEAMA4G",
        "A1UdDwEB/wQEAwICBDAdBgNVHQ4EFgQUy58lx5SZL1vv2C/ZptVUrd4lTaUwHwYDVR0jBBgwFoAU3KaTpI9n0X07Go8a2T4kGmd/gXEwCgYIKoZIzj0E",
        "AwIDSAAwRQIgWe7UUQyrhXPX9uPw3EYE6b+4Mswuf/w9dQfeCrfuglQCIQDo6F6RFWQZXdIxhULbS46RE/F37UdbMiq/cbIeX0Cirw==",
    ].joined()

    /// `O=Sample Org, OU=Servers, CN=leaf.example.org`, issued by ``middle``; RSA of 2048 bits.
    ///
    /// It has names of hosts and an address.
    package static let leaf = [
        "MIIDKjCCArCgAwIBAgIUIl4ZEznoo3GVmCtbEKeDy9kvfs0wCgYIKoZIzj0EAwIwOzELMAkGA1UEBhMCZGUxFDASBgNVBAoTC1NhbXBsZSAgb3JnMRYw",
        "FAYDVQQDEw1TYW1wbGUgTWlkZGxlMCAXDTIwMDEwMTAwMDAwMFoYDzIwOTkwMTAxMDAwMDAwWjBCMRMwEQYDVQQKEwpTYW1wbGUgT3JnMRAwDgYDVQQL",
        "EwdTZXJ2ZXJzMRkwFwYDVQQDExBsZWFmLmV4YW1wbGUub3JnMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAyDgAPeQLusvauqqlcMb+vudR",
        "/veY15OVyGyk6sV2trckteqXGp5kdFszeNtWxz3DlGTBoY79vlg1Moi4SI1uAm/9iqhF510x+EBgbFy2jkzMftItd6xCecNMSGEN99Ros+Meuy+/+LKt",
        "gJTVfA17XcbXyxAb0/nJpLXBsY0lysyaEvrnRtLvF2QrX1T3G7nKluWti3PxpgklYpt4a/xt4HOH/v6SCPJBEp8P7G1c0hsYf2bjoZclXkwOxCsu5tma",
        "qYXAYldcJxoFxpUUF4T4icSdyQzUsx4v2XeoX2TaLLSSae1dWdKGo9LUTNfF1LwC5gzCNMNdyFG3Sc0mPuKF9QIDAQABo4G9MIG6MAkGA1UdEwQCMAAw",
        "DgYDVR0PAQH/BAQDAgWgMB0GA1UdJQQWMBQGCCsGAQUFBwMBBggrBgEFBQcDBDAdBgNVHQ4EFgQUVlHF5AlpCh5F3/Py7M/k+NTVRLQwHwYDVR0jBBgw",
        "FoAUy58lx5SZL1vv2C/ZptVUrd4lTaUwPgYDVR0RBDcwNYIQbGVhZi5leGFtcGxlLm9yZ4IPd3d3LmV4YW1wbGUub3JngRBsZWFmQGV4YW1wbGUub3Jn",
        "MAoGCCqGSM49BAMCA2gAMGUCMQDA9zG0mxeI+2ROPB/e03Y6sytuihsI7GFzGp+oaB859eacSYBjP3HRxen1wWAeJFICMHP/UaAOM59tBGCbXEpqgRLl",
        "VXBIHiXtdolguuSTbu4/qhMsS/5GZv8Bis+jwrTKOg==",
    ].joined()

    /// `CN=Of The Past`, issued by ``root``, version 1, valid in the year 2001; Ed25519, without an address.
    package static let past = [
        "MIIBGjCBwQIUETmIqPJ/UoYyq3Syu/hpUMRehSIwCgYIKoZIzj0EAwIwOTELMAkGA1UEBhMCZGUxFDASBgNVBAoTC1NhbXBsZSAgb3JnMRQwEgYDVQQD",
        "EwtTYW1wbGUgUm9vdDAeFw0wMTAxMDEwMDAwMDBaFw0wMjAxMDEwMDAwMDBaMBYxFDASBgNVBAMTC09mIFRoZSBQYXN0MCowBQYDK2VwAyEABJYDOo90",
        "iuZHGGutClrwqOqs9CQRCY18BGUM19VvFhYwCgYIKoZIzj0EAwIDSAAwRQIhAL2n7XeQ+/3hZeFKxJaSLSAgdk73sj9da/8pKS6BB0ptAiASNrQj3riQ",
        "golHl2Qaak3+FnXbvkKGvs2Au5/mQ0nR9g==",
    ].joined()
}
