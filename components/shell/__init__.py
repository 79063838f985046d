"""What stands around every page: header, navigation, help."""
