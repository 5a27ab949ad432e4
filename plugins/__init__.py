"""The plugins that ship with searchlab, registered by entry points as in any other distribution."""
