import type { Language } from '#shared/languages.ts'

export const otherLanguage = (language: Language): Language => (language === 'ja' ? 'en' : 'ja')
