"""The plugins that ship with searchlab, registered by entry points like those of any other distribution."""
