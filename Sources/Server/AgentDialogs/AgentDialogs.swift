/// What security-agent does: it shows one dialog of securityd's and ends.
///
/// ``DialogAgent`` answers securityd (`AgentProtocol`). ``DialogText`` makes sentences of what is asked, in which ``PlainText`` is all
/// that somebody else has chosen. ``Pinentry`` shows them: a program of the system, spoken to over pipes (Assuan).
///
/// What is typed comes from pinentry into secret memory and goes into a pipe that leads to enclaved.
package enum AgentDialogs {}
