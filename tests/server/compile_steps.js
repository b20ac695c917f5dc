// Answers of the route service in, sentences and whatever is missing out.
// node compile_steps.js PACKAGE < {"answers": [...], "languages": [...]}
const path = require("path");
const folder = process.argv[2];
const { instructions } = require(path.join(folder, "languages.js"));
const compiler = require(folder)("v5");
const { answers, languages } = JSON.parse(require("fs").readFileSync(0, "utf8"));

const missing = [];
console.log = (...words) => missing.push(words.join(" "));  // how it tells of unknown types

let steps = 0;
const said = {};
for (const language of languages) {
  const words = instructions[language].v5;
  said[language] = [];
  for (const answer of answers) {
    for (const route of answer.routes) {
      route.legs.forEach((leg, legIndex) => {
        for (const step of leg.steps) {
          steps += 1;
          const { type, modifier, exit } = step.maneuver;
          const where = `${language}: ${type}, ${modifier}, ${exit}`;
          if (!(type in words)) missing.push(`${where}: no such type`);
          if (modifier !== undefined && !(modifier in words.constants.modifier)) {
            missing.push(`${where}: no such modifier`);
          }
          if (exit !== undefined && !(exit in words.constants.ordinalize)) {
            missing.push(`${where}: no such ordinal`);
          }
          let text = "";
          try {
            text = compiler.compile(language, step, { legIndex, legCount: route.legs.length });
          } catch (error) {
            missing.push(`${where}: ${error.message || error}`);
          }
          if (!text.trim() || /undefined|null|NaN|[{}]/.test(text)) {
            missing.push(`${where}: "${text}"`);
          }
          said[language].push(text);
        }
      });
    }
  }
}
process.stdout.write(JSON.stringify({ steps, missing, said }));
