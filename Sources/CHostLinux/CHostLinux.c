#include "CHostLinux.h"
