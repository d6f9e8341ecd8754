local message = 'told by the file';
error message
