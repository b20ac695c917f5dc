"""The processes of a server: who starts them, what they are told, what they share."""
