import { configure } from '@testing-library/react'

// What a test of a screen waits for takes as long as the machine needs.
configure({ asyncUtilTimeout: 30_000 })
