"""The plugins that ship with searchlab, registered by ordinary entry points like anybody's."""
